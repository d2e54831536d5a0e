import { RelayError } from "@sealway/relay-engine"
import { LITERAL_PREFIX } from "../management/literal-prefix.ts"
import type { MessageTrial, TriedSelection } from "./try-message.ts"

export const TRIAL_WARNINGS = [
  "no-route-matches",
  "matched-nothing",
  "values-already-encrypted",
  "values-not-encrypted",
  "selects-otherwise-elsewhere",
  "prefix-without-namespace",
  "card-number-not-selected",
  "not-shown",
] as const

/** Something about a sample that its live sender would not learn. */
export interface TrialWarning {
  readonly code: (typeof TRIAL_WARNINGS)[number]
  readonly direction: "request" | "response"
  /** Null when it is not about one selection. */
  readonly selector: string | null
  readonly detail: string
}

export function warningsOfTrial(
  direction: "request" | "response",
  { outcome, selections, leaks }: MessageTrial,
): readonly TrialWarning[] {
  const isRefused = outcome instanceof RelayError
  // A refused message may not have been examined completely.
  const ofSelections = selections.flatMap((selection) => warningsOfSelection(selection, isRefused))
  const ofMessage: (readonly [TrialWarning["code"], string])[] = []
  if (leaks.length > 0) {
    const detail = `Fields that no selection covers contain likely card numbers: ${leaks.length} of them.`
    ofMessage.push(["card-number-not-selected", detail])
  }
  if (!isRefused && outcome.isTooLargeToShow)
    ofMessage.push(["not-shown", "The result is larger than 400 kB and is not shown."])
  return [
    ...ofSelections.map(({ selector, code, detail }) => ({ code, direction, selector, detail })),
    ...ofMessage.map(([code, detail]) => ({ code, direction, selector: null, detail })),
  ]
}

function warningsOfSelection(
  { action, selector, matched, changed, isAmbiguous, hasLiteralPrefix }: TriedSelection,
  isRefused: boolean,
): readonly Pick<TrialWarning, "code" | "selector" | "detail">[] {
  const warnings: (readonly [TrialWarning["code"], string])[] = []
  if (matched === 0 && !isRefused)
    warnings.push(["matched-nothing", "The selection matches nothing in this sample."])
  const left = matched - changed
  if (left > 0 && action === "encrypt") {
    const detail = `${left} of ${matched} values stay unchanged: they are already encrypted, or empty.`
    warnings.push(["values-already-encrypted", detail])
  }
  if (left > 0 && action === "decrypt") {
    warnings.push([
      "values-not-encrypted",
      `${left} of ${matched} values stay unchanged: they are not encrypted.`,
    ])
  }
  if (isAmbiguous) {
    const detail =
      "This selector follows RFC 9535. In the JSONPath dialect of many tools (jsonpath-plus) it selects different values."
    warnings.push(["selects-otherwise-elsewhere", detail])
  }
  if (hasLiteralPrefix) warnings.push(["prefix-without-namespace", LITERAL_PREFIX])
  return warnings.map(([code, detail]) => ({ code, selector, detail }))
}
