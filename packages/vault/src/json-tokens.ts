import {
  decodeJsonString,
  InvalidRequestError,
  jsonProblem,
  MAX_JSON_DEPTH,
  pointerAtOffset,
  type ScalarKind,
  scanJson,
} from "@sealway/kernel"

/** A literal of a JSON document and where it stands. */
export interface Scalar {
  readonly kind: ScalarKind
  readonly start: number
  readonly end: number
}

/** The literals of a document, in order. @throws InvalidRequestError when it is not JSON or nests too deep */
export function findScalars(bytes: Buffer): Scalar[] {
  const scalars: Scalar[] = []
  scan(bytes, (kind, start, end) => scalars.push({ kind, start, end }))
  return scalars
}

/** The text of a string literal, as UTF-8; null for other literals, and for a string with a lone surrogate. */
export function textOf(bytes: Buffer, { kind, start, end }: Scalar): Buffer | null {
  if (kind !== "string" && kind !== "escaped-string") return null
  return decodeJsonString(bytes, kind === "escaped-string", start, end)
}

/** True for text that begins with `ev:`; whether it is a token, its grammar tells. */
export function beginsLikeToken(text: Buffer): boolean {
  return text[0] === 0x65 && text[1] === 0x76 && text[2] === 0x3a
}

/** The refusal of one value of a document. Names its place, never the value. */
export function valueProblem(
  bytes: Buffer,
  { start }: Scalar,
  reason: string,
  cause?: unknown,
): InvalidRequestError {
  const pointer = pointerAtOffset(bytes, start, MAX_JSON_DEPTH)
  return new InvalidRequestError(reason, { fields: [{ pointer, reason }], cause })
}

function scan(bytes: Buffer, scalar: (kind: ScalarKind, start: number, end: number) => void): void {
  const ignore = () => undefined
  try {
    scanJson(bytes, { open: ignore, close: ignore, key: ignore, scalar }, MAX_JSON_DEPTH)
  } catch (error) {
    throw jsonProblem(error)
  }
}
