/** A UTF-16 code unit takes at most six bytes of JSON: `\u001f`. */
const MAX_BYTES_PER_CODE_UNIT = 6

/**
 * Returns how many bytes a text takes as a JSON string, quotes included. When that is certainly within the limit, it is
 * not measured, and an estimate within the limit is returned.
 */
export function jsonStringLength(text: string, limitBytes: number): number {
  const most = text.length * MAX_BYTES_PER_CODE_UNIT + 2
  return most <= limitBytes ? most : Buffer.byteLength(JSON.stringify(text))
}
