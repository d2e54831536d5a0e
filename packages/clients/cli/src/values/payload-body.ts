import { JsonText } from "@sealway/sdk/api"
import { UsageFailure } from "../terminal/failures.ts"

type Members = Readonly<Record<string, unknown>>

/**
 * Builds the body of a call whose field `payload` is the input, byte for byte: JavaScript numbers would change digits.
 *
 * @param members further fields of the body; undefined ones are left out
 * @throws UsageFailure when the payload is not a JSON object
 */
export function payloadBody(payload: Buffer, members: Members = {}): JsonText {
  if (!isObject(parse(payload))) throw new UsageFailure("The payload must be a JSON object.")
  return withPayload(payload, members)
}

/**
 * Does the same for a document of any shape that `POST /decrypt` takes.
 *
 * @throws UsageFailure when it is not JSON, or null
 */
export function documentBody(document: Buffer, members: Members): JsonText {
  if ((parse(document) ?? null) === null) throw new UsageFailure("The document must be JSON, and not null.")
  return withPayload(document, members)
}

function withPayload(payload: Buffer, members: Members): JsonText {
  const others = JSON.stringify(members).slice(1)
  const end = others === "}" ? others : `,${others}`
  return new JsonText(Buffer.concat([Buffer.from('{"payload":'), payload, Buffer.from(end)]))
}

function parse(payload: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(payload))
  } catch {
    return undefined
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
