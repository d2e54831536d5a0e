import { randomBytes } from "node:crypto"
import { ApiError, equalInConstantTime } from "@sealway/kernel"
import type { RecordKey, Table } from "@sealway/ports"
import * as z from "zod"
import type { Attempt } from "./once-audit.ts"
import { resultUnknown } from "./once-table.ts"

/** How long an answer is stored for repeated requests. */
const KEPT_SECONDS = 24 * 60 * 60
/** The time after which a repetition may try again: longer than any request takes. */
export const LOCK_MS = 60_000
/** How many attempts of one request may end without an answer. */
const MAX_ATTEMPTS = 20
const NONCE_BYTES = 16

const attemptSchema = z.lazy(() => z.object({ at: z.number(), requestId: z.string() }))
const recordSchema = z.lazy(() =>
  z.object({
    requestMac: z.instanceof(Uint8Array),
    /** Epoch milliseconds until which the request counts as in progress; 0 when it ended without doing anything. */
    lockedUntil: z.number(),
    /** The process that it is in progress in, where there is only one at a time, see `lockHolder`. */
    holder: z.string().nullable().default(null),
    sealedAnswer: z.instanceof(Uint8Array).nullable(),
    /** Whether opening the answer takes the keys of data subjects too. */
    isLocked: z.boolean().default(false),
    /** See `Effect.lockAnswer`. */
    maskedAs: z.string().nullable().default(null),
    /**
     * Part of the request's seed: a new one when an earlier request with the key was refused. Absent from older records.
     */
    nonce: z.instanceof(Uint8Array).optional(),
    /** Attempts that may have taken effect, including this one. None after a refusal. */
    attempts: z.array(attemptSchema).default([]),
    revision: z.number(),
  }),
)

interface RequestRecord {
  readonly requestMac: Uint8Array
  readonly lockedUntil: number
  readonly holder: string | null
  readonly sealedAnswer: Uint8Array | null
  readonly isLocked: boolean
  readonly maskedAs: string | null
  readonly nonce: Uint8Array
  readonly attempts: readonly [Attempt, ...Attempt[]]
  readonly revision: number
}

/** What is noted of a request that has ended. */
type Ending = Partial<Pick<RequestRecord, "lockedUntil" | "sealedAnswer" | "isLocked" | "maskedAs">> & {
  readonly attempts?: readonly Attempt[]
}

/** A request that is answered from the stored answer, or executed. */
export type Beginning =
  | {
      readonly kind: "answered"
      readonly sealedAnswer: Uint8Array
      readonly isLocked: boolean
      readonly maskedAs: string | null
    }
  | {
      readonly kind: "under-way"
      readonly nonce: Buffer
      /** Those that may have taken effect, this one last. */
      readonly attempts: readonly [Attempt, ...Attempt[]]
      /** Notes how the request has ended. Never fails, since the change is made: what is not noted ends with the lock. */
      end(ending: Ending): Promise<void>
    }

/** The records of requests with an `Idempotency-Key`. */
export interface RequestRecords {
  /** Epoch seconds from which what is written now is no longer needed. */
  expiresAt(): number
  /**
   * Begins a request, or finds what was answered.
   *
   * @param isOnce see `RepetitionRules`
   * @throws ApiError `idempotency-key-reused`, `conflict`, `idempotency-result-unknown`: see `Idempotency`
   */
  begin(key: RecordKey, requestMac: Buffer, attempt: Attempt, isOnce: boolean): Promise<Beginning>
}

/**
 * @param wallClock epoch milliseconds
 * @param lockHolder see `Configuration`
 */
export function createRequestRecords(
  table: Table,
  wallClock: () => number,
  lockHolder: string | null,
): RequestRecords {
  const expiresAt = () => Math.floor(wallClock() / 1000) + KEPT_SECONDS
  /** Whether what a first attempt wrote for its repetitions has expired, or may expire during one. */
  const isForgotten = (first: Attempt | undefined) =>
    first !== undefined && wallClock() >= first.at + KEPT_SECONDS * 1000 - LOCK_MS

  const underWay = (key: RecordKey, record: RequestRecord): Beginning => ({
    kind: "under-way",
    nonce: Buffer.from(record.nonce),
    attempts: record.attempts,
    async end(ending) {
      await table
        .replace(key, { ...record, ...ending, expiresAt: expiresAt() }, record.revision)
        .catch(() => false)
    },
  })

  return {
    expiresAt,
    async begin(key, requestMac, attempt, isOnce) {
      for (let tries = 0; tries < 3; tries++) {
        const fresh: RequestRecord = {
          requestMac,
          lockedUntil: wallClock() + LOCK_MS,
          holder: lockHolder,
          sealedAnswer: null,
          isLocked: false,
          maskedAs: null,
          nonce: randomBytes(NONCE_BYTES),
          attempts: [attempt],
          revision: 1,
        }
        if (await table.create(key, { ...fresh, expiresAt: expiresAt() })) return underWay(key, fresh)
        const item = await table.get(key)
        if (item === null) continue
        const found = recordSchema.parse(item)
        if (!equalInConstantTime(found.requestMac, requestMac)) {
          throw new ApiError(
            "idempotency-key-reused",
            "This Idempotency-Key was already used for a different request.",
          )
        }
        const { sealedAnswer, isLocked, maskedAs } = found
        if (sealedAnswer !== null) return { kind: "answered", sealedAnswer, isLocked, maskedAs }
        const isHolderDead = lockHolder !== null && found.holder !== null && found.holder !== lockHolder
        if (found.lockedUntil > wallClock() && !isHolderDead) break
        if (isOnce && found.lockedUntil !== 0) throw resultUnknown()
        const [first, ...others] = found.attempts
        if (found.attempts.length >= MAX_ATTEMPTS || isForgotten(first)) throw resultUnknown()
        const record: RequestRecord =
          isOnce || first === undefined || found.nonce === undefined
            ? fresh
            : { ...fresh, nonce: found.nonce, attempts: [first, ...others, attempt] }
        if (await table.replace(key, { ...record, expiresAt: expiresAt() }, found.revision)) {
          return underWay(key, { ...record, revision: found.revision + 1 })
        }
      }
      throw new ApiError("conflict", "A request with this Idempotency-Key is still in progress.", {
        headers: { "retry-after": "1" },
      })
    },
  }
}
