import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { ROOT, withFolder } from "../support/start.ts"
import { run } from "./cli.ts"

const POLICIES = `
roles:
  - { slug: pci, name: Card numbers }
policies:
  - name: office
    effect: permit
    roles: [pci]
    conditions: { sources: [api], ipRanges: [10.0.0.0/8] }
`
const PROVED = `
role: pci
proofs:
  - name: no pages
    never: { sources: [client-token] }
`
const DISPROVED = `${PROVED}  - name: "no <API>"
    never: { role: pci, sources: [api] }
  - implies: { when: { sources: [api] }, only: { ipRanges: [10.0.0.0/8] } }
  - only: { cedar: 'permit(principal, action, resource) when { decimal("1.0").lessThan(decimal("2.0")) };' }
`

const NOW_MS = Date.UTC(2026, 0, 5, 12)

/** Proves the properties of a file, without a service. Returns what it prints, and a file that it writes. */
const prove = (tests: string, args: readonly string[] = [], written?: string) =>
  withFolder(async (folder) => {
    await writeFile(join(folder, "pci.yaml"), POLICIES)
    await writeFile(join(folder, "pci.policy-test.yaml"), tests)
    const result = await run(["policies", "prove", ...args], { folder, wallClock: () => NOW_MS })
    const file = written === undefined ? "" : await readFile(join(folder, written), "utf8")
    return { ...result, stdout: result.stdout, file }
  })

describe("the ready properties for PCI DSS", () => {
  const EXAMPLE = join(ROOT, "examples/pci-dss")
  const prove = async (change: (policies: string) => string) =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "pci.yaml"), change(await readFile(join(EXAMPLE, "pci.yaml"), "utf8")))
      const tests = await readFile(join(EXAMPLE, "pci.policy-test.yaml"), "utf8")
      await writeFile(join(folder, "pci.policy-test.yaml"), tests)
      const { exitCode, stdout } = await run(["policies", "prove"], { folder, wallClock: () => NOW_MS })
      return { exitCode, failed: [...stdout.matchAll(/^FAILED .*pci: ([0-9.]+):/gm)].map(([, name]) => name) }
    })

  test("are proved of the policies beside them", async () => {
    expect(await prove((policies) => policies)).toEqual({ exitCode: 0, failed: [] })
  })

  test.each([
    ["3.4", "sources: [relay]", "sources: [relay, client-token]"],
    ["7.2.1", "[api.stripe.com]", "[api.stripe.com, api.example.com]"],
    ["7.2.2", "ipRanges: [10.0.0.0/8]", "ipRanges: [10.0.0.0/7]"],
  ])("%s fails when a policy opens more", async (name, before, after) => {
    expect(await prove((policies) => policies.replace(before, after))).toEqual({
      exitCode: 1,
      failed: [name],
    })
  })
})

describe("policies prove", () => {
  test("ends with status 0 when all is proved", async () => {
    const { exitCode, stdout, stderr } = await prove(PROVED)
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: "proved  pci.policy-test.yaml: pci: no pages (about 1 policy)\n",
      stderr: "1 proved, 0 disproved, 0 unknown, about the policies of pci.yaml\n",
    })
  })

  test("ends with status 1 and a request that contradicts a property, and says why what is unknown is not proved", async () => {
    const { exitCode, stdout, stderr } = await prove(DISPROVED)
    expect(stdout.split("\n")).toEqual([
      "proved  pci.policy-test.yaml: pci: no pages (about 1 policy)",
      "FAILED  pci.policy-test.yaml: pci: no <API> (about 1 policy)",
      expect.stringMatching(/^ +permit: --source api --ip 10\.[0-9.]+$/),
      "            permit office applies",
      "proved  pci.policy-test.yaml: pci: implies when sources api; only ipRanges 10.0.0.0/8 (about 1 policy)",
      expect.stringMatching(/^UNKNOWN .*only cedar permit/),
      "          decimal in Cedar is not decided for all requests.",
      "",
    ])
    expect(stderr).toBe("2 proved, 1 disproved, 1 unknown, about the policies of pci.yaml\n")
    expect(exitCode).toBe(1)
  })

  test("prints the request and its explanation as JSON, with the line of the property", async () => {
    const { exitCode, json } = await prove(DISPROVED, ["--json"])
    expect(exitCode).toBe(1)
    expect(json()).toMatchObject({
      proved: 2,
      disproved: 1,
      unknown: 1,
      files: [
        {
          file: "pci.policy-test.yaml",
          policyFiles: ["pci.yaml"],
          results: [
            { name: "no pages", policies: 1, line: 4, result: "proved", counterexample: null },
            {
              name: "no <API>",
              line: 6,
              result: "disproved",
              counterexample: {
                context: { source: "api", ip: expect.stringMatching(/^10\./) },
                decision: "permit",
                policies: [{ name: "office", decided: true }],
              },
            },
            { line: 8, result: "proved" },
            { line: 9, result: "unknown" },
          ],
        },
      ],
    })
  })

  test("writes JUnit XML with a failure for what is disproved, and an error for what is unknown", async () => {
    const { file } = await prove(DISPROVED, ["--junit", "report.xml"], "report.xml")
    expect(file).toContain('<testsuite name="pci.policy-test.yaml" tests="4" failures="1" errors="1">')
    expect(file).toContain(
      '<testcase name="no &#60;API&#62;" classname="pci" file="pci.policy-test.yaml" line="6">',
    )
    expect(file).toMatch(/<failure message="Permitted: --source api --ip 10\.[0-9.]+"\/>/)
    expect(file).toMatch(/<error message="Not proved: decimal in Cedar is not decided for all requests\."\/>/)
  })

  test("writes SARIF with the line of each property that is not proved", async () => {
    const { file } = await prove(DISPROVED, ["--sarif", "report.sarif"], "report.sarif")
    const { version, runs } = JSON.parse(file)
    expect(version).toBe("2.1.0")
    expect(runs[0].results).toMatchObject([
      {
        ruleId: "property-disproved",
        message: { text: expect.stringMatching(/^pci: no <API>\. Permitted: --source api/) },
        locations: [
          {
            physicalLocation: { artifactLocation: { uri: "pci.policy-test.yaml" }, region: { startLine: 6 } },
          },
        ],
      },
      { ruleId: "property-unknown" },
    ])
  })

  test("proves nothing about a role without policies, which may be misspelled", async () => {
    const { exitCode, stdout } = await prove(PROVED.replace("role: pci", "role: pcl"))
    expect(stdout).toContain("No policy is attached to the role pcl.")
    expect(exitCode).toBe(1)
  })

  test.each([
    ["two properties in one", "never: {}\n    only: {}", "/proofs/0"],
    ["conditions and Cedar", 'never: { sources: [api], cedar: "x" }', "/proofs/0/never/cedar"],
    ["a budget", "never: { budget: { values: 1, per: day } }", "/proofs/0/never"],
    [
      "Cedar that does not match the schema",
      'never: { cedar: "permit(principal, action, resource) when { context.foo };" }',
      "/proofs/0",
    ],
  ])("refuses %s with status 2 and the line", async (_title, proof, pointer) => {
    const { exitCode, stderr } = await prove(`role: pci\nproofs:\n  - ${proof}\n`)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`pci.policy-test.yaml:3: ${pointer}: `)
  })

  test("ends with status 2 when no file has proofs", async () => {
    const { exitCode, stderr } = await prove("role: pci\ntests: [{ name: a, expect: deny }]\n")
    expect(exitCode).toBe(2)
    expect(stderr).toContain("No *.policy-test.yaml files with proofs found.")
  })
})
