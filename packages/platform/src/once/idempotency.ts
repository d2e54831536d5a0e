import { isUtf8 } from "node:buffer"
import { createHmac, createSecretKey, hkdfSync, randomBytes } from "node:crypto"
import {
  ApiError,
  equalInConstantTime,
  finish,
  type InvalidRequestError,
  invalidField,
  openBytes,
  PROBLEMS,
  sealBytes,
  type Turns,
} from "@sealway/kernel"
import * as z from "zod"
import type { HttpEvent, HttpResult } from "../http-event.ts"
import { type SubjectLock, withLock } from "../keys/subject-lock.ts"
import type { RecordKey, Table } from "../tables/table.ts"
import type { Attempt } from "./once-audit.ts"
import { type Effects, type OnceRequest, openOnceRequest } from "./once-request.ts"
import { resultUnknown } from "./once-table.ts"
import { writeRequestText } from "./request-text.ts"

/** How long an answer is stored for repeated requests. */
const KEPT_SECONDS = 24 * 60 * 60
/** The time after which a repetition may try again: longer than any request takes. */
const LOCK_MS = 60_000
/** The largest answer that is stored, sealed: an item of DynamoDB is at most 400 KB. */
const MAX_KEPT_BYTES = 384 * 1024

/** How many attempts of one request may end without an answer. */
const MAX_ATTEMPTS = 20
const NONCE_BYTES = 16
const MAX_REQUEST_ID_CHARACTERS = 128

const attemptSchema = z.lazy(() => z.object({ at: z.number(), requestId: z.string() }))
const keySchema = z.stringFormat("idempotency-key", /^[\x21-\x7e]{1,255}$/)
const recordSchema = z.lazy(() =>
  z.object({
    requestMac: z.instanceof(Uint8Array),
    /** Epoch milliseconds until which the request counts as in progress; 0 when it ended without doing anything. */
    lockedUntil: z.number(),
    sealedAnswer: z.instanceof(Uint8Array).nullable(),
    /** Whether opening the answer takes the keys of data subjects too. */
    isLocked: z.boolean().default(false),
    /**
     * Part of the request's seed: a new one when an earlier request with the key was refused. Absent from older records.
     */
    nonce: z.instanceof(Uint8Array).optional(),
    /** Attempts that may have taken effect, including this one. */
    attempts: z.array(attemptSchema).default([]),
    revision: z.number(),
  }),
)
const answerSchema = z.lazy(() =>
  z.object({
    statusCode: z.number(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
    isBase64Encoded: z.boolean(),
  }),
)

type KeptAnswer = z.infer<typeof answerSchema>

interface Record {
  readonly requestMac: Uint8Array
  readonly lockedUntil: number
  readonly sealedAnswer: Uint8Array | null
  readonly isLocked: boolean
  readonly nonce: Uint8Array
  readonly attempts: readonly [Attempt, ...Attempt[]]
  readonly revision: number
}

/** A request that is answered from the stored answer, or executed. */
type Beginning =
  | { readonly kind: "answered"; readonly sealedAnswer: Uint8Array; readonly isLocked: boolean }
  | { readonly kind: "under-way"; readonly record: Record }

/** Tracks whether a request that must take effect only once may have done so. It has not before `begin` is called. */
export interface Effect {
  /** Whether a repetition of the request gets its answer, so that it is worth waiting for when the client has left. */
  readonly isRepeatable: boolean
  /** Call it right before the effect. If the request fails after that, it is unknown whether it took effect. */
  begin(): void
  /** Call it when it turns out that there was no effect: the request may be repeated. */
  undo(): void
  /** Seals the stored answer with these keys too. A repetition must know the lock: see `authorizeReplay`. */
  lockAnswer(lock: SubjectLock | null): void
}

/** For requests that cannot be repeated. */
export const UNTRACKED_EFFECT: Effect = {
  isRepeatable: false,
  begin: () => undefined,
  undo: () => undefined,
  lockAnswer: () => undefined,
}

/** The rules for repetitions of a request. */
export interface RepetitionRules {
  /** The team whose audit log says what it did. Default: none. */
  readonly teamId?: string
  /**
   * True: a request that may have taken effect is never executed again, neither after a crash nor when its answer could
   * not be stored. For effects outside the service. Default: false; the request is executed again once its time is
   * over, by `OnceRequest`, which completes the rest and gives the same answer.
   */
  readonly isOnce?: boolean
  /**
   * True: no record is kept as it was before the request, so that a repetition after a crash sees what the first attempt
   * has changed. For requests that destroy secrets. Default: false.
   */
  readonly keepsNoRecords?: boolean
  /** Of the request. Default: its body is hashed at once. */
  readonly turns?: Pick<Turns, "run">
  /** The headers that the request depends on: with different ones it is a different request. Default: none. */
  readonly headers?: object
  /**
   * Called before a stored answer is sent again. If it throws, its error is sent instead.
   *
   * @returns the lock of the answer, if it has one
   */
  readonly authorizeReplay?: () => Promise<SubjectLock | null>
  /** Fields of the answer that are not stored, so they are not sent again; `all`: the answer itself. Default: none. */
  readonly unkept?: readonly string[] | "all"
}

/** Makes requests that change something safe to repeat, with the `Idempotency-Key` header. */
export interface Idempotency {
  /**
   * Runs a request, unless its key was used within 24 hours: then returns the first answer again.
   *
   * What is stored is useless to anyone who reads the table: request and answer (which may contain a new API key) are
   * encrypted under keys derived from the caller's credentials, of which the service only stores a hash. A key
   * therefore only applies to the credentials that sent it. A refused request stores nothing and may be repeated with
   * the same key.
   *
   * @param event from a sender whose credentials and scope were just checked: a stored answer requires them too
   * @param secret the caller's credentials
   * @param execute receives what it changes things through; null when the request has no key, or `isOnce`
   * @throws InvalidRequestError when the header is malformed
   * @throws ApiError `idempotency-key-reused` when the key was used for a different request, `conflict` while the first
   * request is in progress, `idempotency-result-unknown` when a request with `isOnce` may have taken effect and left no
   * answer, or others have changed the same things since, so the outcome cannot be determined
   */
  run(
    event: HttpEvent,
    secret: string,
    execute: (effect: Effect, once: OnceRequest | null) => Promise<HttpResult>,
    rules?: RepetitionRules,
  ): Promise<HttpResult>
}

/**
 * @param wallClock epoch milliseconds
 * @param effects what requests change things through. Null: they get no replacement
 */
export function createIdempotency(
  table: Table,
  wallClock: () => number,
  effects: Effects | null = null,
): Idempotency {
  const expiresAt = () => Math.floor(wallClock() / 1000) + KEPT_SECONDS
  /** Whether what a first attempt wrote for its repetitions has expired, or may expire during one. */
  const isForgotten = (first: Attempt | undefined) =>
    first !== undefined && wallClock() >= first.at + KEPT_SECONDS * 1000 - LOCK_MS

  async function begin(
    key: RecordKey,
    requestMac: Buffer,
    attempt: Attempt,
    isOnce: boolean,
  ): Promise<Beginning> {
    for (let tries = 0; tries < 3; tries++) {
      const lockedUntil = wallClock() + LOCK_MS
      const nonce = randomBytes(NONCE_BYTES)
      const fresh: Record = {
        requestMac,
        lockedUntil,
        sealedAnswer: null,
        isLocked: false,
        nonce,
        attempts: [attempt],
        revision: 1,
      }
      if (await table.create(key, { ...fresh, expiresAt: expiresAt() })) {
        return { kind: "under-way", record: fresh }
      }
      const item = await table.get(key)
      if (item === null) continue
      const found = recordSchema.parse(item)
      if (!equalInConstantTime(found.requestMac, requestMac)) {
        throw new ApiError(
          "idempotency-key-reused",
          "This Idempotency-Key was already used for a different request.",
        )
      }
      const { sealedAnswer, isLocked } = found
      if (sealedAnswer !== null) return { kind: "answered", sealedAnswer, isLocked }
      if (found.lockedUntil > wallClock()) break
      if (isOnce && found.lockedUntil !== 0) throw resultUnknown()
      const [first, ...others] = found.attempts
      if (found.attempts.length >= MAX_ATTEMPTS || isForgotten(first)) throw resultUnknown()
      const record: Record =
        isOnce || first === undefined || found.nonce === undefined
          ? fresh
          : { ...fresh, nonce: found.nonce, attempts: [first, ...others, attempt] }
      if (await table.replace(key, { ...record, expiresAt: expiresAt() }, found.revision)) {
        return { kind: "under-way", record: { ...record, revision: found.revision + 1 } }
      }
    }
    throw new ApiError("conflict", "A request with this Idempotency-Key is still in progress.", {
      headers: { "retry-after": "1" },
    })
  }

  return {
    async run(
      event,
      secret,
      execute,
      {
        teamId = null,
        isOnce = false,
        keepsNoRecords = false,
        headers: readHeaders = {},
        authorizeReplay,
        unkept = [],
        turns,
      } = {},
    ) {
      const idempotencyKey = event.headers["idempotency-key"]
      if (idempotencyKey === undefined) return execute(UNTRACKED_EFFECT, null)
      if (!keySchema.safeParse(idempotencyKey).success) throw malformedKey()

      const keys = deriveKeys(secret)
      const id = keys.startMac("id").update(idempotencyKey).digest()
      const key: RecordKey = { pk: `idempotency#${id.toString("base64url")}`, sk: "idempotency" }
      const { requestId } = event.requestContext
      const attempt = { at: wallClock(), requestId: requestId.slice(0, MAX_REQUEST_ID_CHARACTERS) }
      const requestMac = keys.startMac("request")
      const writing = writeRequestText(event, readHeaders, (piece) => requestMac.update(piece))
      if (turns === undefined) finish(writing)
      else await turns.run(writing)
      const begun = await begin(key, requestMac.digest(), attempt, isOnce)
      if (begun.kind === "answered") {
        const lock = (await authorizeReplay?.()) ?? null
        const key = withLock(keys.sealingKey, begun.isLocked ? lock : null)
        const answer = openAnswer(key, begun.sealedAnswer, id)
        return { ...answer, headers: { ...answer.headers, "idempotency-replayed": "true" } }
      }

      const { record } = begun
      const keep = (
        changes: Partial<Omit<Record, "attempts">> & { readonly attempts?: readonly Attempt[] },
      ) => table.replace(key, { ...record, ...changes, expiresAt: expiresAt() }, record.revision)
      let mayHaveEffect = false
      let lock: SubjectLock | null = null
      const effect: Effect = {
        isRepeatable: true,
        begin() {
          mayHaveEffect = true
        },
        undo() {
          mayHaveEffect = false
        },
        lockAnswer(wanted) {
          lock = wanted
        },
      }
      let once: OnceRequest | null = null
      try {
        if (effects !== null && !isOnce) {
          const nonce = Buffer.from(record.nonce)
          once = await openOnceRequest(effects, {
            seed: keys.seed(Buffer.concat([id, nonce])),
            attempts: record.attempts,
            attemptMs: LOCK_MS,
            keepsRecords: !keepsNoRecords,
            journal: {
              table,
              pk: key.pk,
              name: nonce.toString("base64url"),
              sealingKey: keys.sealingKey,
              expiresAt,
            },
          })
        }
        const result = await execute(effect, once)
        if (unkept === "all" || lengthOf(result) > MAX_KEPT_BYTES) {
          await keep({ lockedUntil: wallClock() }).catch(() => false)
          return result
        }
        const { statusCode = 200, headers = {} } = result
        const answer = answerSchema.parse({ statusCode, headers, ...bodyAsText(result) })
        const kept = JSON.stringify(withoutMembers(answer, unkept))
        const sealedAnswer = sealBytes(withLock(keys.sealingKey, lock), Buffer.from(kept), id)
        const isKept = sealedAnswer.length <= MAX_KEPT_BYTES
        // The change is made, so failing to store the answer must not turn it into an error.
        await keep(isKept ? { sealedAnswer, isLocked: lock !== null } : { lockedUntil: wallClock() }).catch(
          () => false,
        )
        return answer
      } catch (error) {
        const { shown, isUndone } = await outcomeOf(error, once, teamId)
        const lockedUntil = isOnce && mayHaveEffect ? wallClock() : 0
        await keep({ lockedUntil, ...(isUndone && { attempts: [] }) }).catch(() => false)
        throw shown
      }
    },
  }
}

/**
 * Decides the outcome of a request that failed. A refusal means that nothing was done, so the next request with the key
 * counts as a new one. After any other error something may have been done, and the next request continues from there.
 */
async function outcomeOf(
  error: unknown,
  once: OnceRequest | null,
  teamId: string | null,
): Promise<{ readonly shown: unknown; readonly isUndone: boolean }> {
  const isUnknown = error instanceof ApiError && error.code === "idempotency-result-unknown"
  const isRefusal = error instanceof ApiError && (PROBLEMS[error.code].api ?? 500) < 500
  if (isUnknown || !isRefusal) return { shown: error, isUndone: false }
  if (once === null || teamId === null) return { shown: error, isUndone: true }
  try {
    // It was accepted and partly done, and would now be refused, because others have changed something since.
    if (await once.mayHaveTakenEffect(teamId)) return { shown: resultUnknown(), isUndone: false }
    return { shown: error, isUndone: true }
  } catch (cause) {
    return { shown: cause, isUndone: false }
  }
}

function withoutMembers(answer: KeptAnswer, names: readonly string[]): KeptAnswer {
  if (names.length === 0) return answer
  const body: unknown = JSON.parse(answer.body)
  const members = Object.entries(body ?? {}).filter(([name]) => !names.includes(name))
  return { ...answer, body: JSON.stringify(Object.fromEntries(members)) }
}

/** The least that an answer takes. */
function lengthOf({ bodyBytes, body = "" }: HttpResult): number {
  return bodyBytes?.length ?? body.length
}

/** Returns a body the way Lambda passes it on. */
function bodyAsText({ bodyBytes, body = "", isBase64Encoded = false }: HttpResult) {
  if (bodyBytes === undefined) return { body, isBase64Encoded }
  return isUtf8(bodyBytes)
    ? { body: bodyBytes.toString(), isBase64Encoded: false }
    : { body: bodyBytes.toString("base64"), isBase64Encoded: true }
}

function malformedKey(): InvalidRequestError {
  return invalidField(
    "/headers/idempotency-key",
    "An Idempotency-Key must have 1 to 255 visible ASCII characters.",
  )
}

function deriveKeys(secret: string) {
  const derived = Buffer.from(hkdfSync("sha256", secret, "", "sealway/v1/idempotency", 96))
  const macKey = createSecretKey(derived.subarray(0, 32))
  const sealingKey = derived.subarray(32, 64)
  const seedKey = createSecretKey(derived.subarray(64))
  return {
    sealingKey,
    seed: (nonce: Uint8Array) => createHmac("sha256", seedKey).update(nonce).digest(),
    startMac: (purpose: "id" | "request") => createHmac("sha256", macKey).update(`${purpose}\0`),
  }
}

function openAnswer(key: Uint8Array, sealed: Uint8Array, id: Uint8Array): KeptAnswer {
  const text = openBytes(key, sealed, id)
  if (text === null) throw new Error("A kept answer does not open")
  return answerSchema.parse(JSON.parse(text.toString()))
}
