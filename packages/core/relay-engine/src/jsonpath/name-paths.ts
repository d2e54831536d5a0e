import { foldMemberName } from "../tree/name-readings.ts"
import type { Segment, Selector } from "./json-path.ts"

const MAX_CHARACTERS = 2_048
const MAX_PARTS = 64
const POSITION = /^\d+$/

/** Returns the parts of a name that some reader takes for a path, such as lodash's `get`: `items[0].card`. */
export function partsOfName(name: string): readonly string[] {
  const parts = name.slice(0, MAX_CHARACTERS).match(/[^.[\]]+/g) ?? []
  return parts.slice(0, MAX_PARTS).map((part) => part.trim().replace(/^['"]|['"]$/g, ""))
}

export function namedSegment(name: string): Segment {
  return { descendant: false, selectors: [{ kind: "name", name }] }
}

/**
 * Follows the parts of a name like fields within each other. A position may be missing in either: some readers take one
 * value for a list.
 *
 * @param isNamed whether some reader takes a part for a name. Default: as for fields of JSON
 * @param startsAnywhere whether any number of parts may come before the first segment. Default: none
 * @returns how many segments may have been followed then; all of them for what is in a selected value, too
 */
export function segmentsAlong(
  parts: readonly string[],
  segments: readonly Segment[],
  isNamed: (part: string, name: string) => boolean = isAlike,
  startsAnywhere = false,
): ReadonlySet<number> {
  const selected = segments.length
  let reached = new Set([0])
  for (const part of parts) {
    if (startsAnywhere) reached.add(0)
    const next = new Set<number>()
    for (const at of withSkipped(reached, segments)) {
      const segment = segments[at]
      if (segment === undefined) next.add(selected)
      else {
        if (segment.descendant || POSITION.test(part)) next.add(at)
        if (segment.selectors.some((selector) => isChosen(selector, part, isNamed))) next.add(at + 1)
      }
    }
    reached = next
    if (reached.size === 0 && !startsAnywhere) break
  }
  return reached
}

function withSkipped(reached: ReadonlySet<number>, segments: readonly Segment[]): ReadonlySet<number> {
  const all = new Set(reached)
  // A set is iterated with what is added meanwhile.
  for (const at of all) if (segments[at]?.selectors.some(({ kind }) => kind !== "name")) all.add(at + 1)
  return all
}

function isAlike(part: string, name: string): boolean {
  return foldMemberName(part) === foldMemberName(name)
}

function isChosen(
  selector: Selector,
  part: string,
  isNamed: (part: string, name: string) => boolean,
): boolean {
  if (selector.kind === "name") return isNamed(part, selector.name)
  return selector.kind !== "index" || selector.index < 0 || String(selector.index) === part
}
