import { createHmac, hkdfSync } from "node:crypto"
import { ApiError, equalInConstantTime, InvalidRequestError, openBytes, sealBytes } from "@sealway/kernel"
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda"
import * as z from "zod"
import type { RecordKey, Table } from "./table.ts"

/** How long an answer is kept for a repeated request. */
const KEPT_SECONDS = 24 * 60 * 60
/** How long a request may take before its repetition may try again: longer than any request lives. */
const LOCK_MS = 60_000
/** The most that is kept of an answer, sealed: an item of DynamoDB takes 400 KB. */
const MAX_KEPT_BYTES = 384 * 1024

const keySchema = z.stringFormat("idempotency-key", /^[\x21-\x7e]{1,255}$/)
const recordSchema = z.object({
  requestMac: z.instanceof(Uint8Array),
  /** Epoch milliseconds until which the request counts as under way; 0 when it ended and nothing was done. */
  lockedUntil: z.number(),
  sealedAnswer: z.instanceof(Uint8Array).nullable(),
  revision: z.number(),
})
const answerSchema = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  isBase64Encoded: z.boolean(),
})

type KeptAnswer = z.infer<typeof answerSchema>

interface Record {
  readonly requestMac: Uint8Array
  readonly lockedUntil: number
  readonly sealedAnswer: Uint8Array | null
  readonly revision: number
}

/** Tracks whether a request that must take effect only once may have done so. It has not before `begin` is called. */
export interface Effect {
  /** To be called right before the effect. A failure from then on leaves it unknown whether it took effect. */
  begin(): void
  /** To be called when it turned out that there was no effect: the request may be repeated. */
  undo(): void
}

/** For requests that nobody can repeat. */
export const UNTRACKED_EFFECT: Effect = { begin: () => undefined, undo: () => undefined }

/** What holds for the repetitions of a request. */
export interface RepetitionRules {
  /**
   * True: a request that may have taken effect is never executed again, not when its process died, and not when its
   * answer could not be kept. Default: false, and then it is executed again once its time is over.
   */
  readonly isOnce?: boolean
  /** Called before a kept answer is given again; what it throws is answered instead. */
  readonly authorizeReplay?: () => Promise<void>
}

/** Makes requests that change something safe to repeat, by the header `Idempotency-Key`. */
export interface Idempotency {
  /**
   * Runs a request, unless its key was used within 24 hours: then the first answer is given again.
   *
   * What is stored is of no use to who reads the table: request and answer (which may hold a new API key) are kept under
   * keys derived from the caller's credentials, of which the service stores a hash only. A key therefore
   * counts for the credentials that sent it. A refused request keeps nothing and may be repeated with the same key.
   *
   * @param event of a sender whose credentials and scope have just been checked: a kept answer asks for them too
   * @param secret the caller's credentials
   * @throws InvalidRequestError when the header is malformed
   * @throws ApiError `idempotency-key-reused` when the key came with another request, `conflict` while the first
   * request is under way, `idempotency-result-unknown` when a request that `isOnce` may have taken effect and left no
   * answer
   */
  run(
    event: APIGatewayProxyEventV2,
    secret: string,
    execute: (effect: Effect) => Promise<APIGatewayProxyStructuredResultV2>,
    rules?: RepetitionRules,
  ): Promise<APIGatewayProxyStructuredResultV2>
}

/** @param wallClock epoch milliseconds */
export function createIdempotency(table: Table, wallClock: () => number): Idempotency {
  const expiresAt = () => Math.floor(wallClock() / 1000) + KEPT_SECONDS

  async function begin(key: RecordKey, requestMac: Buffer, isOnce: boolean): Promise<Record> {
    for (let attempt = 0; attempt < 3; attempt++) {
      const lockedUntil = wallClock() + LOCK_MS
      const record: Record = { requestMac, lockedUntil, sealedAnswer: null, revision: 1 }
      if (await table.create(key, { ...record, expiresAt: expiresAt() })) return record
      const item = await table.get(key)
      if (item === null) continue
      const found = recordSchema.parse(item)
      if (!equalInConstantTime(found.requestMac, requestMac)) {
        throw new ApiError("idempotency-key-reused", "This Idempotency-Key was used for another request.")
      }
      if (found.sealedAnswer !== null) return found
      if (found.lockedUntil > wallClock()) break
      if (isOnce && found.lockedUntil !== 0) throw resultUnknown()
      if (await table.replace(key, { ...record, expiresAt: expiresAt() }, found.revision)) {
        return { ...record, revision: found.revision + 1 }
      }
    }
    throw new ApiError("conflict", "A request with this Idempotency-Key is under way.", {
      headers: { "retry-after": "1" },
    })
  }

  return {
    async run(event, secret, execute, { isOnce = false, authorizeReplay } = {}) {
      const idempotencyKey = event.headers["idempotency-key"]
      if (idempotencyKey === undefined) return execute(UNTRACKED_EFFECT)
      if (!keySchema.safeParse(idempotencyKey).success) throw malformedKey()

      const keys = deriveKeys(secret)
      const id = keys.mac("id", idempotencyKey)
      const key: RecordKey = { pk: `idempotency#${id.toString("base64url")}`, sk: "idempotency" }
      const { method } = event.requestContext.http
      const request = [method, event.rawPath, event.rawQueryString, event.body ?? "", event.isBase64Encoded]
      const record = await begin(key, keys.mac("request", JSON.stringify(request)), isOnce)
      if (record.sealedAnswer !== null) {
        await authorizeReplay?.()
        const answer = openAnswer(keys.sealingKey, record.sealedAnswer, id)
        return { ...answer, headers: { ...answer.headers, "idempotency-replayed": "true" } }
      }

      const keep = (changes: Partial<Record>) =>
        table.replace(key, { ...record, ...changes, expiresAt: expiresAt() }, record.revision)
      let mayHaveEffect = false
      const effect: Effect = {
        begin() {
          mayHaveEffect = true
        },
        undo() {
          mayHaveEffect = false
        },
      }
      try {
        const { statusCode = 200, headers = {}, body = "", isBase64Encoded = false } = await execute(effect)
        const answer = answerSchema.parse({ statusCode, headers, body, isBase64Encoded })
        const sealedAnswer = sealBytes(keys.sealingKey, Buffer.from(JSON.stringify(answer)), id)
        const isKept = sealedAnswer.length <= MAX_KEPT_BYTES
        // The change is made: failing to keep the answer must not turn it into an error.
        await keep(isKept ? { sealedAnswer } : { lockedUntil: wallClock() }).catch(() => false)
        return answer
      } catch (error) {
        await keep({ lockedUntil: isOnce && mayHaveEffect ? wallClock() : 0 }).catch(() => false)
        throw error
      }
    },
  }
}

function resultUnknown(): ApiError {
  return new ApiError(
    "idempotency-result-unknown",
    "The first request with this Idempotency-Key may have taken effect, and its answer is not known. It will not be repeated. Check what it did before you send it again with another key.",
  )
}

function malformedKey(): InvalidRequestError {
  const reason = "An Idempotency-Key has 1 to 255 visible ASCII characters."
  return new InvalidRequestError(reason, { fields: [{ pointer: "/headers/idempotency-key", reason }] })
}

function deriveKeys(secret: string) {
  const derived = Buffer.from(hkdfSync("sha256", secret, "", "sealway/v1/idempotency", 64))
  const [macKey, sealingKey] = [derived.subarray(0, 32), derived.subarray(32)]
  return {
    sealingKey,
    mac: (purpose: "id" | "request", text: string) =>
      createHmac("sha256", macKey).update(`${purpose}\0${text}`).digest(),
  }
}

function openAnswer(key: Uint8Array, sealed: Uint8Array, id: Uint8Array): KeptAnswer {
  const text = openBytes(key, sealed, id)
  if (text === null) throw new Error("A kept answer does not open")
  return answerSchema.parse(JSON.parse(text.toString()))
}
