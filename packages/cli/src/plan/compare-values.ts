/** One member that differs. */
export interface FieldChange {
  /** Names, joined by dots: `conditions.time.daily`. */
  readonly field: string
  /** Undefined: it is not there. */
  readonly before: unknown
  readonly after: unknown
}

/**
 * The members in which two JSON values differ, each as deep as objects go on both sides. Arrays are compared as the sets
 * that they are in roles and conditions: order means nothing there.
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

/** The same text for equal values. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(canonicalText))].sort().join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? "undefined"
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalText(value[name])}`)
  return `{${members.join()}}`
}
