/** One field that differs. */
export interface FieldChange {
  /** Names joined by dots: `conditions.time.daily`. */
  readonly field: string
  /** Undefined: it does not exist. */
  readonly before: unknown
  readonly after: unknown
}

/**
 * Compares two JSON values and returns the fields that differ, at the deepest level that is an object on both sides.
 * Arrays are compared as sets, because order has no meaning in roles and conditions.
 */
export function compareValues(before: unknown, after: unknown, field = ""): FieldChange[] {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
    return names.flatMap((name) =>
      compareValues(memberOf(before, name), memberOf(after, name), field === "" ? name : `${field}.${name}`),
    )
  }
  return canonicalText(before) === canonicalText(after) ? [] : [{ field, before, after }]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Returns the same text for equal values. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(canonicalText))].sort().join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? "undefined"
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalText(value[name])}`)
  return `{${members.join()}}`
}
