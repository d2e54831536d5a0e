import { type RecordOf, recordsOf } from "@sealway/ports"
import * as z from "zod"

/**
 * `active`: values are encrypted and decrypted. `pending`: neither, until the erasure is undone. `erased`: the key is
 * destroyed.
 */
export const SUBJECT_STATUSES = ["active", "pending", "erased"] as const

const dataSubjectSchema = z.lazy(() =>
  z.object({
    /** `data_subject_` and 32 hexadecimal digits. */
    id: z.string(),
    status: z.enum(SUBJECT_STATUSES),
    /** The key, sealed with the value key of a key version of the app. Null once it is destroyed. */
    key: z.object({ keyVersion: z.number(), sealed: z.instanceof(Uint8Array) }).nullable(),
    /** The name of the reference that leads here, see `referenceRecords`. Null once the data subject is erased. */
    reference: z.string().nullable(),
    /** Epoch milliseconds. */
    createdAt: z.number(),
    /** When the erasure was asked for; null when it was not, or was undone. */
    requestedAt: z.number().nullable(),
    /** When the key is destroyed, unless the erasure is undone first. */
    eraseAt: z.number().nullable(),
    /** When the key was destroyed. */
    erasedAt: z.number().nullable(),
    /** How often its erasure was asked for or undone, see `erasureRecords`. */
    changes: z.number().default(0),
    revision: z.number(),
  }),
)

/** A person, or whatever else values are about that are to be erased together. */
export type DataSubject = RecordOf<typeof dataSubjectSchema>

/** In a partition of their own: there may be millions, and ids are random. */
export const dataSubjectRecords = recordsOf<DataSubject, "id">({
  prefix: "",
  schema: dataSubjectSchema,
  nameOf: ({ id }) => id,
  partitionOf: (appId) => `data-subjects#${appId}`,
})

const referenceSchema = z.lazy(() =>
  z.object({
    name: z.string(),
    subjectId: z.string(),
    /**
     * Random. A reference is created again after each erasure: who has read an earlier one must not remove its successor,
     * whose values nobody could find any more.
     */
    revision: z.number(),
  }),
)

/** Leads from a caller's own id of a data subject to it, in the config table. Its name is an HMAC of that id. */
export const referenceRecords = recordsOf<RecordOf<typeof referenceSchema>, "name">({
  prefix: "",
  schema: referenceSchema,
  nameOf: ({ name }) => name,
  partitionOf: (appId) => `data-subject-references#${appId}`,
})

const erasureSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    /** Of the data subject, after this. */
    changes: z.number().default(1),
    /** Epoch milliseconds. Null when the erasure was undone. */
    requestedAt: z.number().nullable(),
    eraseAt: z.number().nullable().default(null),
    /** Null as long as it can be undone. */
    erasedAt: z.number().nullable(),
    revision: z.number(),
  }),
)

/** What was asked for last about the erasure of a data subject. */
export type Erasure = RecordOf<typeof erasureSchema>

/**
 * The ledger of erasures. It is in the events table, apart from the keys, and nothing removes from it: keys that somebody
 * restores from an old backup of the config table open nothing. A data subject with fewer `changes` than its entry is from
 * such a backup, or from a request that died: the entry counts. An entry with a destroyed key always does.
 */
export const erasureRecords = recordsOf<Erasure, "id">({
  prefix: "",
  schema: erasureSchema,
  nameOf: ({ id }) => id,
  partitionOf: (appId) => `data-subject-erasures#${appId}`,
})
