import { isUtf8 } from "node:buffer"
import { openBytes, sealBytes } from "@sealway/kernel"
import * as z from "zod"
import type { HttpResult } from "../http-event.ts"

/** The largest answer that is stored, sealed: an item of DynamoDB is at most 400 KB. */
const MAX_KEPT_BYTES = 384 * 1024

const answerSchema = z.lazy(() =>
  z.object({
    statusCode: z.number(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
    isBase64Encoded: z.boolean(),
  }),
)

/** An answer as it is sent, and sent again. */
export type KeptAnswer = z.infer<typeof answerSchema>

/** Whether an answer is surely too large to be stored. */
export function isTooLargeToKeep({ bodyBytes, body = "" }: HttpResult): boolean {
  return (bodyBytes?.length ?? body.length) > MAX_KEPT_BYTES
}

export function answerOf(result: HttpResult): KeptAnswer {
  const { statusCode = 200, headers = {} } = result
  return answerSchema.parse({ statusCode, headers, ...bodyAsText(result) })
}

/**
 * Seals an answer without some fields of its body, for the `Idempotency-Key` with an id. Returns null when it is too large
 * to be stored.
 */
export function sealAnswer(
  key: Uint8Array,
  answer: KeptAnswer,
  unkept: readonly string[],
  id: Uint8Array,
): Uint8Array | null {
  const kept = JSON.stringify(withoutMembers(answer, unkept))
  const sealed = sealBytes(key, Buffer.from(kept), id)
  return sealed.length <= MAX_KEPT_BYTES ? sealed : null
}

export function openAnswer(key: Uint8Array, sealed: Uint8Array, id: Uint8Array): KeptAnswer {
  const text = openBytes(key, sealed, id)
  if (text === null) throw new Error("A kept answer does not open")
  return answerSchema.parse(JSON.parse(text.toString()))
}

function withoutMembers(answer: KeptAnswer, names: readonly string[]): KeptAnswer {
  if (names.length === 0) return answer
  const body: unknown = JSON.parse(answer.body)
  const members = Object.entries(body ?? {}).filter(([name]) => !names.includes(name))
  return { ...answer, body: JSON.stringify(Object.fromEntries(members)) }
}

/** Returns a body the way Lambda passes it on. */
function bodyAsText({ bodyBytes, body = "", isBase64Encoded = false }: HttpResult) {
  if (bodyBytes === undefined) return { body, isBase64Encoded }
  return isUtf8(bodyBytes)
    ? { body: bodyBytes.toString(), isBase64Encoded: false }
    : { body: bodyBytes.toString("base64"), isBase64Encoded: true }
}
