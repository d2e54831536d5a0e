/** The help of an option that says how values look masked. */
export const MASK_HELP =
  "how values look masked: last:4, first-last, email, name, date, date:month, phone, ip, fixed:TEXT or pattern:TEXT; none for never"

/** The field that follows the colon, for each type that has one. */
const FIELDS: ReadonlyMap<string, { readonly name: string; readonly isNumber: boolean }> = new Map([
  ["last", { name: "count", isNumber: true }],
  ["first-last", { name: "first", isNumber: true }],
  ["date", { name: "shows", isNumber: false }],
  ["fixed", { name: "text", isNumber: false }],
  ["pattern", { name: "pattern", isNumber: false }],
])

/** Reads a mask as people write it, `last:4`. Undefined stays undefined. The service says what is wrong with it. */
export function maskOf(
  text: string | undefined,
): Readonly<Record<string, string | number>> | null | undefined {
  if (text === undefined) return undefined
  if (text === "none") return null
  const [type = ""] = text.split(":", 1)
  const field = FIELDS.get(type)
  if (type === text || field === undefined) return { type: text }
  const value = text.slice(type.length + 1)
  return { type, [field.name]: field.isNumber ? Number(value) : value }
}
