import {
  ApiError,
  finish,
  type InvalidRequestError,
  invalidField,
  PROBLEMS,
  type Turns,
} from "@sealway/kernel"
import { type SubjectLock, withLock } from "@sealway/keys"
import type { RecordKey, Table } from "@sealway/ports"
import * as z from "zod"
import type { HttpEvent, HttpResult } from "../http-event.ts"
import { answerOf, isTooLargeToKeep, openAnswer, sealAnswer } from "./kept-answer.ts"
import { type Effects, type OnceRequest, openOnceRequest } from "./once-request.ts"
import { resultUnknown } from "./once-table.ts"
import { deriveRequestKeys } from "./request-keys.ts"
import { createRequestRecords, LOCK_MS } from "./request-record.ts"
import { writeRequestText } from "./request-text.ts"

const MAX_REQUEST_ID_CHARACTERS = 128

const keySchema = z.stringFormat("idempotency-key", /^[\x21-\x7e]{1,255}$/)

/** Tracks whether a request that must take effect only once may have done so. It has not before `begin` is called. */
export interface Effect {
  /** Whether a repetition of the request gets its answer, so that it is worth waiting for when the client has left. */
  readonly isRepeatable: boolean
  /** Call it right before the effect. If the request fails after that, it is unknown whether it took effect. */
  begin(): void
  /** Call it when it turns out that there was no effect: the request may be repeated. */
  undo(): void
  /**
   * Seals the stored answer with these keys too. A repetition must know the lock: see `authorizeReplay`.
   *
   * @param maskedAs which of the values that the answer was made from were masked, and how: a repetition is authorized
   * knowing it. Default: none were
   */
  lockAnswer(lock: SubjectLock | null, maskedAs?: string | null): void
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
   * @param maskedAs as given to `Effect.lockAnswer`; null where nothing was
   * @returns the lock of the answer, if it has one
   */
  readonly authorizeReplay?: (maskedAs: string | null) => Promise<SubjectLock | null>
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
 * @param lockHolder see `Configuration`
 */
export function createIdempotency(
  table: Table,
  wallClock: () => number,
  effects: Effects | null = null,
  lockHolder: string | null = null,
): Idempotency {
  const records = createRequestRecords(table, wallClock, lockHolder)
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

      const keys = deriveRequestKeys(secret)
      const id = keys.startMac("id").update(idempotencyKey).digest()
      const key: RecordKey = { pk: `idempotency#${id.toString("base64url")}`, sk: "idempotency" }
      const { requestId } = event.requestContext
      const attempt = { at: wallClock(), requestId: requestId.slice(0, MAX_REQUEST_ID_CHARACTERS) }
      const requestMac = keys.startMac("request")
      const writing = writeRequestText(event, readHeaders, (piece) => requestMac.update(piece))
      if (turns === undefined) finish(writing)
      else await turns.run(writing)
      const begun = await records.begin(key, requestMac.digest(), attempt, isOnce)
      if (begun.kind === "answered") {
        const lock = (await authorizeReplay?.(begun.maskedAs)) ?? null
        const key = withLock(keys.sealingKey, begun.isLocked ? lock : null)
        const answer = openAnswer(key, begun.sealedAnswer, id)
        return { ...answer, headers: { ...answer.headers, "idempotency-replayed": "true" } }
      }

      let mayHaveEffect = false
      let lock: SubjectLock | null = null
      let maskedAs: string | null = null
      const effect: Effect = {
        isRepeatable: true,
        begin() {
          mayHaveEffect = true
        },
        undo() {
          mayHaveEffect = false
        },
        lockAnswer(wanted, masked = null) {
          lock = wanted
          maskedAs = masked
        },
      }
      let once: OnceRequest | null = null
      try {
        if (effects !== null && !isOnce) {
          const { nonce, attempts } = begun
          once = await openOnceRequest(effects, {
            seed: keys.seed(Buffer.concat([id, nonce])),
            attempts,
            attemptMs: LOCK_MS,
            keepsRecords: !keepsNoRecords,
            journal: {
              table,
              pk: key.pk,
              name: nonce.toString("base64url"),
              sealingKey: keys.sealingKey,
              expiresAt: records.expiresAt,
            },
          })
        }
        const result = await execute(effect, once)
        if (unkept === "all" || isTooLargeToKeep(result)) {
          await begun.end({ lockedUntil: wallClock() })
          return result
        }
        const answer = answerOf(result)
        const sealedAnswer = sealAnswer(withLock(keys.sealingKey, lock), answer, unkept, id)
        await begun.end(
          sealedAnswer === null
            ? { lockedUntil: wallClock() }
            : { sealedAnswer, isLocked: lock !== null, maskedAs },
        )
        return answer
      } catch (error) {
        const { shown, isUndone } = await outcomeOf(error, once, teamId)
        const lockedUntil = isOnce && mayHaveEffect ? wallClock() : 0
        await begun.end({ lockedUntil, ...(isUndone && { attempts: [] }) })
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

function malformedKey(): InvalidRequestError {
  return invalidField(
    "/headers/idempotency-key",
    "An Idempotency-Key must have 1 to 255 visible ASCII characters.",
  )
}
