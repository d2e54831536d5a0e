import type * as z from "zod"
import { elementName, listElements } from "./element-names.ts"
import type { Circumstance, Fields } from "./field.ts"
import { ISO_CODE_IS_UNKNOWN } from "./formats.ts"
import { MessageProblem } from "./message-problem.ts"

/** Values by element name, of the message and of what is known about its transaction. */
export type Facts = Readonly<Record<string, unknown>>

/** Whether a circumstance holds. For a list, one value is enough. */
export function holds(circumstance: Circumstance, facts: Facts): boolean {
  return Object.entries(circumstance).every(([name, wanted]) => {
    const value = valueAt(facts, name)
    if (wanted === "present") return !isMissing(value)
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    return wanted.some((each) => values.includes(each))
  })
}

/** An empty text and null count as missing. */
export function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === ""
}

/** Returns the elements of a message that the table names and that are not empty. */
export function presentElements(message: Facts, fields: Fields): Facts {
  return Object.fromEntries(
    Object.keys(fields)
      .filter((name) => Object.hasOwn(message, name) && !isMissing(message[name]))
      .map((name) => [name, message[name]]),
  )
}

/** @throws MessageProblem 201 naming all elements that are required and missing */
export function requireElements(fields: Fields, elements: Facts, facts: Facts): void {
  const missing = Object.entries(fields)
    .filter(([name]) => !Object.hasOwn(elements, name))
    .filter(([, { requiredWhen }]) => requiredWhen.some((each) => holds(each, facts)))
  refuse(
    "201",
    missing.map(([name]) => name),
  )
}

/** @throws MessageProblem 203 naming all elements that are not allowed */
export function refuseElements(fields: Fields, elements: Facts, facts: Facts): void {
  const refused = Object.keys(elements).filter((name) => {
    const allowedWhen = fields[name]?.allowedWhen ?? null
    return allowedWhen !== null && !allowedWhen.some((each) => holds(each, facts))
  })
  refuse("203", refused)
}

/** @throws MessageProblem 201 for missing parts of elements, 304 for ISO codes, 203 for all other formats */
export function parseElements<Message>(schema: z.ZodType<Message>, elements: Facts): Message {
  const result = schema.safeParse(elements)
  if (result.success) return result.data
  const namesOf = (issues: readonly z.core.$ZodIssue[]) => issues.map(({ path }) => elementName(path))
  const { issues } = result.error
  const missing = issues.filter(({ path }) => isMissing(at(elements, path)))
  refuse("201", namesOf(missing))
  refuse("203", namesOf(issues.filter(({ message }) => message !== ISO_CODE_IS_UNKNOWN)))
  throw new MessageProblem("304", listElements(namesOf(issues)))
}

function refuse(code: "201" | "203", names: readonly string[]): void {
  if (names.length > 0) throw new MessageProblem(code, listElements(names))
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, part)
        ? Object.getOwnPropertyDescriptor(inner, part)?.value
        : undefined,
    value,
  )
}

function valueAt(facts: Facts, name: string): unknown {
  return at(facts, name.split("."))
}
