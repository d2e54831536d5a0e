/**
 * Readers of what arrived in a message. Messages are structured clones: they have no getters and no prototypes of ours.
 * A reader returns undefined for what it does not accept.
 */
export type Read<Value> = (value: unknown) => Value | undefined

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A field of a record itself, not of its prototype. */
export const own = (record: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined

export const oneOf =
  <Value extends string>(values: readonly Value[]): Read<Value> =>
  (value) =>
    values.find((each) => each === value)

export const text =
  (pattern: RegExp): Read<string> =>
  (value) =>
    typeof value === "string" && pattern.test(value) ? value : undefined

export const boolean: Read<boolean> = (value) => (typeof value === "boolean" ? value : undefined)

export const integer =
  (min: number, max: number): Read<number> =>
  (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined

export const orNull =
  <Value>(read: Read<Value>): Read<Value | null> =>
  (value) =>
    value === null || value === undefined ? null : read(value)

export const withDefault =
  <Value>(read: Read<Value>, usual: Value): Read<Value> =>
  (value) =>
    value === undefined ? usual : read(value)

/** Reads a record of which each field, if it is there, must be accepted; other fields are left out. */
export const optionalFields =
  <Name extends string, Value>(readers: ReadonlyMap<Name, Read<Value>>): Read<Partial<Record<Name, Value>>> =>
  (value) => {
    if (value === undefined) return {}
    if (!isRecord(value)) return undefined
    const found: Partial<Record<Name, Value>> = {}
    for (const [name, read] of readers) {
      const given = own(value, name)
      if (given === undefined) continue
      const accepted = read(given)
      if (accepted === undefined) return undefined
      found[name] = accepted
    }
    return found
  }

/** Reads a record whose fields must all be accepted; other fields are left out. */
export const fields =
  <Shape extends object>(readers: { readonly [Name in keyof Shape]: Read<Shape[Name]> }): Read<Shape> =>
  (value) => {
    if (!isRecord(value)) return undefined
    const found: Partial<Shape> = {}
    for (const name of Object.keys(readers) as (keyof Shape & string)[]) {
      const accepted = readers[name](own(value, name))
      if (accepted === undefined) return undefined
      found[name] = accepted
    }
    return found as Shape
  }
