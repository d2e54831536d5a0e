/** A UTF-16 code unit takes at most six bytes of JSON: `\u001f`. */
const MAX_BYTES_PER_CODE_UNIT = 6

/**
 * How many bytes a text takes as a JSON string, quotes included. Where that is certainly no more than a limit, it is
 * not measured, and an estimate is returned that is no more than the limit either.
 */
export function jsonStringLength(text: string, limitBytes: number): number {
  const most = text.length * MAX_BYTES_PER_CODE_UNIT + 2
  return most <= limitBytes ? most : Buffer.byteLength(JSON.stringify(text))
}
