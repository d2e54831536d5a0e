import type { ProofResult } from "@sealway/proofs"
import { expect, test } from "vitest"
import { junitReport, sarifReport } from "./reports.ts"

const PROVED: ProofResult & { readonly line: number } = {
  name: "never",
  role: "pci",
  policies: 2,
  result: "proved",
  untilMs: null,
  notes: [],
  counterexample: null,
  line: 1,
}
const UNKNOWN = { ...PROVED, result: "unknown", notes: ["no time"] } as const

test("JUnit says of how many policies a property holds, and until when where it ends", () => {
  const results = [PROVED, { ...PROVED, untilMs: Date.UTC(2027, 10, 27) }]
  const report = junitReport([{ file: "a.yaml", results }])
  expect(report.match(/<system-out>[^<]*<\/system-out>/g)).toEqual([
    "<system-out>About 2 policies.</system-out>",
    expect.stringMatching(/Holds until 2027-11-27.*by the rules of time zones now in force/),
  ])
})

test("JUnit holds only characters of XML, whatever a property is called", () => {
  const name = 'a<b>&"\n\u0000\ufffe\uffff\ud800'
  const report = junitReport([{ file: "a.yaml", results: [{ ...PROVED, name }] }])
  expect(report).toContain('name="a&#60;b&#62;&#38;&#34;&#10;\ufffd\ufffd\ufffd\ufffd"')
})

test("SARIF names a file by a URI, whatever it is called", () => {
  const report: unknown = JSON.parse(sarifReport([{ file: "a b\\c#d?e\ud800.yaml", results: [UNKNOWN] }]))
  const physicalLocation = {
    artifactLocation: { uri: "a%20b/c%23d%3Fe%EF%BF%BD.yaml" },
    region: { startLine: 1 },
  }
  expect(report).toMatchObject({ runs: [{ results: [{ locations: [{ physicalLocation }] }] }] })
})
