import { type RecordOf, recordsOf } from "@sealway/ports"
import * as z from "zod"

const charactersSchema = z.object({
  kind: z.literal("characters"),
  alphabet: z.string(),
  lengths: z.object({ min: z.number(), max: z.number() }),
  keep: z.object({ first: z.number(), last: z.number() }),
  literals: z.string(),
  luhn: z.enum(["keep", "break", "any"]),
})

const formatRecordSchema = z.object({
  /** `format_…`. Part of what its keys are derived from. */
  id: z.string(),
  /** Unique in the app, and never changed. */
  name: z.string(),
  description: z.string(),
  /** Slug of the data role whose policies decide who may decrypt. */
  role: z.string(),
  layout: z.union([charactersSchema, z.object({ kind: z.enum(["date", "email", "iban", "uuid"]) })]),
  /** Whether a token ends with a character that names the version of its key. */
  versioned: z.boolean(),
  /** The app's key version that each version of the format is derived from: version 1 first. */
  keyVersions: z.array(z.number()),
  archived: z.boolean(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  updatedAt: z.number(),
  revision: z.number(),
})

export type FormatRecord = RecordOf<typeof formatRecordSchema>

export const formatRecords = recordsOf<FormatRecord, "name">({
  prefix: "format#",
  schema: formatRecordSchema,
  nameOf: ({ name }) => name,
})
