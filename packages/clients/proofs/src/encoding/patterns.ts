import type { Script } from "../smt/script.ts"
import { and, equal, int, not, or, type Term } from "../smt/terms.ts"
import { SolverStoppedError } from "../solver/solver.ts"
import type { Texts } from "./texts.ts"

/** Which texts match the patterns of `like`. */
export interface Patterns {
  /** True where a text matches; null for what is no pattern. */
  matches(code: Term, pattern: unknown): Term | null
  /**
   * What holds for every request. Complete when all policies are encoded.
   *
   * @throws SolverStoppedError when there is too much to decide
   */
  facts(): Term
}

/** The maximum of patterns, times texts. Deciding them cannot be interrupted. */
const MAX_DECIDED = 50_000

/**
 * Patterns are decided for the texts that policies name. Others may match or not: that allows more than there is, so an
 * example must be checked. One text that matches is named for each pattern, so that there usually is a good one.
 */
export function createPatterns(script: Script, texts: Texts): Patterns {
  const asked = new Map<
    string,
    { readonly code: Term; readonly pieces: readonly string[]; readonly holds: Term }
  >()
  return {
    matches(code, elements) {
      const pieces = piecesOf(elements)
      if (pieces === null) return null
      const key = JSON.stringify([code, pieces])
      const known = asked.get(key) ?? { code, pieces, holds: script.fresh("Bool") }
      asked.set(key, known)
      texts.codeOf(pieces.join("x"))
      return known.holds
    },
    facts() {
      const all = [...texts.all()]
      if (asked.size * all.length > MAX_DECIDED)
        throw new SolverStoppedError("there are too many patterns of like")
      return and(
        ...[...asked.values()].flatMap(({ code, pieces, holds }) =>
          all.map(([text, each]) =>
            or(not(equal(code, int(each))), isMatch(text, pieces) ? holds : not(holds)),
          ),
        ),
      )
    },
  }
}

type Element = "Wildcard" | { readonly Literal: string }

function isElement(value: unknown): value is Element {
  if (value === "Wildcard") return true
  return (
    typeof value === "object" && value !== null && "Literal" in value && typeof value.Literal === "string"
  )
}

/** The texts between wildcards, of which the first begins a text and the last ends it; null for what is no pattern. */
function piecesOf(elements: unknown): readonly string[] | null {
  if (!Array.isArray(elements) || !elements.every(isElement)) return null
  const pieces = [""]
  for (const element of elements) {
    if (element === "Wildcard") pieces.push("")
    else pieces.push((pieces.pop() ?? "") + element.Literal)
  }
  return pieces
}

/** Takes time proportional to the text: where a piece is found first leaves the most for those behind it. */
function isMatch(text: string, pieces: readonly string[]): boolean {
  const [first = "", ...rest] = pieces
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let from = first.length
  for (const piece of rest) {
    const at = text.indexOf(piece, from)
    if (at < 0) return false
    from = at + piece.length
  }
  return from + last.length <= text.length
}
