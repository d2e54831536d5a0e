import { piecesOfText, type Work } from "@sealway/kernel"

/** How much is written as JSON in one step. */
const PIECE_CHARACTERS = 65_536

/** A UTF-16 code unit takes at most six bytes of JSON: `\u001f`. */
export const MAX_JSON_BYTES_PER_CODE_UNIT = 6

interface Payload {
  readonly body?: string | undefined
  readonly bodyBytes?: Buffer | undefined
  readonly isBase64Encoded?: boolean | undefined
}

/**
 * Says whether a Lambda payload, event or result, may be larger as JSON than a limit in bytes. Serializing it only for that
 * would cost more than everything else in a request, so `isPayloadLargerThan` is only asked about payloads near the limit.
 *
 * @param othersAtMostBytes an upper bound for everything but the body, as JSON
 */
export function mayBeLargerThan(
  limitBytes: number,
  { body = "", bodyBytes }: Payload,
  othersAtMostBytes: number,
): boolean {
  const bodyAtMostBytes = body.length * MAX_JSON_BYTES_PER_CODE_UNIT + (bodyBytes?.length ?? 0)
  return bodyAtMostBytes + othersAtMostBytes > limitBytes
}

/** Says whether it is larger, in steps. */
export function* isPayloadLargerThan(limitBytes: number, payload: Payload): Work<boolean> {
  const { body = "", bodyBytes } = payload
  const restBytes = limitBytes - (bodyBytes?.length ?? 0)
  const inJson = { ...payload, bodyBytes: undefined }
  if (payload.body === undefined) return jsonBytes(inJson) > restBytes
  let bytes = jsonBytes({ ...inJson, body: "" })
  // Base64 needs no escapes.
  if (payload.isBase64Encoded === true) return bytes + body.length > restBytes
  for (const piece of piecesOfText(body, PIECE_CHARACTERS)) {
    if (bytes > restBytes) return true
    bytes += jsonBytes(piece) - '""'.length
    yield
  }
  return bytes > restBytes
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
