import type { ProofResult } from "@sealway/proofs"
import { formatTime } from "../terminal/format.ts"
import { policiesText } from "./policies-text.ts"
import { requestText } from "./request-text.ts"

interface ReportedFile {
  readonly file: string
  readonly results: readonly (ProofResult & { readonly line: number })[]
}

/** Says in one line why a property is not proved; null when it is. */
function failureOf({ result, notes, counterexample }: ProofResult): string | null {
  if (result === "proved") return null
  if (counterexample === null) return `Not proved: ${notes.join("; ")}.`
  return `${counterexample.decision === "permit" ? "Permitted" : "Refused"}: ${requestText(counterexample)}`
}

/** Formats results as JUnit XML, one suite for a file. What is unknown is an error, what is disproved a failure. */
export function junitReport(files: readonly ReportedFile[]): string {
  const suites = files.map(({ file, results }) => {
    const cases = results.map((each) => {
      const open = `    <testcase name="${escapeXml(each.name)}" classname="${escapeXml(each.role)}" file="${escapeXml(file)}" line="${each.line}"`
      const failure = failureOf(each)
      if (failure === null) {
        const until =
          each.untilMs === null
            ? ""
            : ` Holds until ${formatTime(each.untilMs)}, by the rules of time zones now in force.`
        const about = `About ${policiesText(each.policies)}.${until}`
        return `${open}><system-out>${escapeXml(about)}</system-out></testcase>`
      }
      const kind = each.result === "disproved" ? "failure" : "error"
      return `${open}><${kind} message="${escapeXml(failure)}"/></testcase>`
    })
    const count = (result: ProofResult["result"]) => results.filter((each) => each.result === result).length
    const counts = `tests="${results.length}" failures="${count("disproved")}" errors="${count("unknown")}"`
    return [`  <testsuite name="${escapeXml(file)}" ${counts}>`, ...cases, "  </testsuite>"].join("\n")
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("\n")}\n</testsuites>\n`
}

/** Formats what is not proved as SARIF 2.1.0. */
export function sarifReport(files: readonly ReportedFile[]): string {
  const results = files.flatMap(({ file, results: each }) =>
    each.flatMap((result) => {
      const text = failureOf(result)
      if (text === null) return []
      return {
        ruleId: result.result === "disproved" ? "property-disproved" : "property-unknown",
        level: "error",
        message: { text: `${result.role}: ${result.name}. ${text}` },
        locations: [
          {
            physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: result.line } },
          },
        ],
      }
    }),
  )
  const rules = [
    { id: "property-disproved", shortDescription: { text: "A request contradicts a property of policies" } },
    { id: "property-unknown", shortDescription: { text: "A property of policies is not proved" } },
  ]
  const run = { tool: { driver: { name: "sealway policies prove", rules } }, results }
  return `${JSON.stringify({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }, null, 2)}\n`
}

function uriOf(file: string): string {
  return file
    .replaceAll("\\", "/")
    .split("/")
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join("/")
}

/** Escapes a text for XML 1.0, which has no form for most control characters, two others and half of a surrogate pair. */
function escapeXml(text: string): string {
  return text.replaceAll(/[<>&"\p{Cc}\p{Cs}\ufffe\uffff]/gu, (character) =>
    /[<>&"\t\n\r]/.test(character) ? `&#${character.codePointAt(0)};` : "\ufffd",
  )
}
