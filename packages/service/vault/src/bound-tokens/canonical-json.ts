import { Pace, type Work } from "@sealway/kernel"

const VALUES_PER_STEP = 512
const NAMES_PER_RUN = 1_024

/**
 * Writes the canonical text of a JSON value (RFC 8785), in pieces that are passed to `write` in order. The result is
 * that of `canonicalize`, but in steps: a payload may have hundreds of thousands of values, and an object as many names
 * to sort.
 *
 * @param value plain objects and arrays, as `parseStrictJson` returns them
 */
export function* writeCanonicalJson(value: unknown, write: (text: string) => void): Work<void> {
  const pace = new Pace(VALUES_PER_STEP)
  /** The containers that are not closed yet, with what remains of each. */
  const open: { readonly members: Iterator<Member>; readonly end: string; separator: string }[] = []
  let next: unknown = value
  for (;;) {
    if (pace.isDue(typeof next === "string" ? next.length : 0)) yield
    if (Array.isArray(next)) {
      write("[")
      open.push({ members: elementsOf(next), end: "]", separator: "" })
    } else if (isObject(next)) {
      write("{")
      open.push({ members: membersOf(next, yield* sortInSteps(Object.keys(next))), end: "}", separator: "" })
    } else write(JSON.stringify(next))

    for (;;) {
      const innermost = open.at(-1)
      if (innermost === undefined) return
      const member = innermost.members.next()
      if (member.done !== true) {
        write(innermost.separator + member.value.prefix)
        innermost.separator = ","
        next = member.value.value
        break
      }
      if (pace.isDue()) yield
      write(innermost.end)
      open.pop()
    }
  }
}

interface Member {
  /** The name, and the colon that follows it. */
  readonly prefix: string
  readonly value: unknown
}

function* elementsOf(array: readonly unknown[]): Generator<Member, void, void> {
  for (const value of array) yield { prefix: "", value }
}

function* membersOf(
  object: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Generator<Member, void, void> {
  for (const name of names) yield { prefix: `${JSON.stringify(name)}:`, value: object[name] }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
}

/** Sorts by UTF-16 code units, like `sort`. Runs are sorted in one go and merged in steps. */
export function* sortInSteps(texts: readonly string[]): Work<readonly string[]> {
  const pace = new Pace(VALUES_PER_STEP)
  let runs: string[][] = []
  for (let at = 0; at < texts.length; at += NAMES_PER_RUN) {
    if (at > 0) yield
    runs.push(texts.slice(at, at + NAMES_PER_RUN).sort())
  }
  while (runs.length > 1) {
    const merged: string[][] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? [], pace))
    runs = merged
  }
  return runs[0] ?? []
}

function* merge(left: readonly string[], right: readonly string[], pace: Pace): Work<string[]> {
  const merged: string[] = []
  let [one, other] = [0, 0]
  while (one < left.length || other < right.length) {
    if (pace.isDue()) yield
    const [a, b] = [left[one], right[other]]
    if (b === undefined || (a !== undefined && a <= b)) {
      merged.push(a ?? "")
      one++
    } else {
      merged.push(b)
      other++
    }
  }
  return merged
}
