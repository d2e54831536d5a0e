import { piecesOfText, type Work } from "@sealway/kernel"

/** What is written as JSON at once. */
const PIECE_CHARACTERS = 65_536

/** A UTF-16 code unit takes at most six bytes of JSON: `\u001f`. */
export const MAX_JSON_BYTES_PER_CODE_UNIT = 6

interface Payload {
  readonly body?: string | undefined
  readonly bodyBytes?: Buffer | undefined
  readonly isBase64Encoded?: boolean | undefined
}

/**
 * Whether a Lambda payload, event or result, is larger as JSON than a limit in bytes. Serializing it only to know
 * would cost more than everything else that is done for a request, so it is done for payloads near the limit only, and
 * in steps.
 *
 * @param othersAtMostBytes what everything but the body cannot be larger than as JSON
 */
export function* isPayloadLargerThan(
  limitBytes: number,
  payload: Payload,
  othersAtMostBytes: number,
): Work<boolean> {
  const { body = "", bodyBytes, ...others } = payload
  if (bodyBytes !== undefined) {
    return yield* isPayloadLargerThan(limitBytes - bodyBytes.length, others, othersAtMostBytes)
  }
  if (body.length * MAX_JSON_BYTES_PER_CODE_UNIT + othersAtMostBytes <= limitBytes) return false
  if (payload.body === undefined) return jsonBytes(payload) > limitBytes
  let bytes = jsonBytes({ ...payload, body: "" })
  // Nothing in base64 is escaped.
  if (payload.isBase64Encoded === true) return bytes + body.length > limitBytes
  for (const piece of piecesOfText(body, PIECE_CHARACTERS)) {
    if (bytes > limitBytes) return true
    bytes += jsonBytes(piece) - '""'.length
    yield
  }
  return bytes > limitBytes
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
