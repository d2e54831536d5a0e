import type { SelectionType } from "./draft.ts"

/** A way to select a field. */
export interface SelectorChoice {
  readonly label: string
  readonly type: SelectionType
  readonly selector: string
}

/** A field of a sample, in the order of the sample. */
export interface SampleField {
  /** Where it is, as the service names selected places. Unique within its group. */
  readonly path: string
  /** How far to the right it is shown. */
  readonly depth: number
  /** Its name, or its position in a list: `[0]`. */
  readonly name: string
  /** Null for what contains other fields. */
  readonly value: string | null
  /** The most likely one first. */
  readonly choices: readonly SelectorChoice[]
}

/** No more are shown: people do not read them, and browsers take long. */
export const MAX_FIELDS = 1_000

export type Step = string | number

/** Reads the fields of a JSON text; null when it is none. */
export function jsonFields(text: string): readonly SampleField[] | null {
  let root: unknown
  try {
    root = JSON.parse(text, keepNumbers)
  } catch {
    return null
  }
  const fields: SampleField[] = []
  addJson(fields, root, [])
  return fields
}

/** A number as it is written, with all of its digits. */
class NumberText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

function keepNumbers(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" ? new NumberText(context?.source ?? String(value)) : value
}

function addJson(fields: SampleField[], value: unknown, steps: readonly Step[]): void {
  if (fields.length >= MAX_FIELDS) return
  const isContainer = typeof value === "object" && value !== null && !(value instanceof NumberText)
  if (steps.length > 0 || !isContainer) {
    fields.push({
      path: normalizedPath(steps),
      depth: Math.max(0, steps.length - 1),
      name: nameOf(steps.at(-1)),
      value: isContainer ? null : textOf(value),
      choices: jsonChoices(steps),
    })
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) addJson(fields, item, [...steps, index])
  } else if (isContainer) {
    for (const [name, item] of Object.entries(value)) addJson(fields, item, [...steps, name])
  }
}

function textOf(value: unknown): string {
  return value instanceof NumberText ? value.text : JSON.stringify(value)
}

function nameOf(step: Step | undefined): string {
  if (step === undefined) return "the whole body"
  return typeof step === "number" ? `[${step}]` : step
}

/** Returns selectors for the field at a place. */
export function jsonChoices(steps: readonly Step[]): readonly SelectorChoice[] {
  const name = steps.at(-1)
  const choices: SelectorChoice[] = []
  if (steps.some((step) => typeof step === "number")) {
    const label = typeof name === "number" ? "Every item of the list" : "This field of every item"
    choices.push({ label, type: "json", selector: selectorOf(steps, "every") })
  }
  choices.push({ label: "Only this field", type: "json", selector: selectorOf(steps, "this") })
  if (typeof name === "string" && steps.length > 1) {
    const selector = SHORTHAND.test(name) ? `$..${name}` : `$..${bracketed(name)}`
    choices.push({ label: "Every field with this name", type: "json", selector })
  }
  return choices
}

/** A name that can follow a dot (RFC 9535, section 2.5.1.1). */
const SHORTHAND = /^[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*$/

function selectorOf(steps: readonly Step[], positions: "this" | "every"): string {
  const parts = steps.map((step) => {
    if (typeof step === "number") return positions === "every" ? "[*]" : `[${step}]`
    return SHORTHAND.test(step) ? `.${step}` : bracketed(step)
  })
  return `$${parts.join("")}`
}

/** Returns a normalized path (RFC 9535, section 2.7). */
export function normalizedPath(steps: readonly Step[]): string {
  return `$${steps.map((step) => (typeof step === "number" ? `[${step}]` : bracketed(step))).join("")}`
}

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["'", "\\'"],
  ["\\", "\\\\"],
])

function bracketed(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
  const escaped = name.replace(/[\u0000-\u001f'\\]|[\ud800-\udfff]/gu, (character) => {
    return SHORT_ESCAPES.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
  return `['${escaped}']`
}

/** Reads the fields of a form (`application/x-www-form-urlencoded`) or of a query. */
export function formFields(text: string, type: "form" | "query"): readonly SampleField[] {
  const pairs = [...new URLSearchParams(text)].slice(0, MAX_FIELDS)
  return pairs.map(([name, value]) => ({
    path: name,
    depth: 0,
    name,
    value,
    choices: [{ label: "Every field with this name", type, selector: name }],
  }))
}

/** Returns the fields of headers. */
export function headerFields(headers: Readonly<Record<string, string>>): readonly SampleField[] {
  return Object.entries(headers).map(([name, value]) => ({
    path: name.toLowerCase(),
    depth: 0,
    name,
    value,
    choices: [{ label: "This header", type: "header", selector: name.toLowerCase() }],
  }))
}
