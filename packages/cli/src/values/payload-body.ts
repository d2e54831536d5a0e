import type { Call } from "../service/service-client.ts"
import { UsageFailure } from "../terminal/failures.ts"

/**
 * Builds the body of a call whose field `payload` is the input, byte for byte: JavaScript numbers would change digits.
 *
 * @param payload a JSON object
 * @param members further fields of the body; undefined ones are left out
 * @throws UsageFailure when the payload is not a JSON object
 */
export function payloadBody(
  payload: Buffer,
  members: Readonly<Record<string, unknown>> = {},
): NonNullable<Call["body"]> {
  if (!isObject(parse(payload))) throw new UsageFailure("The payload must be a JSON object.")
  const others = JSON.stringify(members).slice(1)
  const end = others === "}" ? others : `,${others}`
  const bytes = Buffer.concat([Buffer.from('{"payload":'), payload, Buffer.from(end)])
  return { contentType: "application/json", bytes }
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
