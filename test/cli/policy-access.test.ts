import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { runCli } from "@sealway/cli"
import { createTestHost, sendRequest } from "@sealway/cli/testing"
import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"
import { withFolder } from "../support/start.ts"
import { run, runAgainst } from "./cli.ts"

const service = useService()

const ROLE = "roles: [{ slug: pci, name: Card numbers }]\n"
const OFFICE = `
  - name: office
    effect: permit
    roles: [pci]
    conditions: { sources: [api], ipRanges: [10.0.0.0/8] }
`
const WEEKDAYS = `
  - name: weekdays
    effect: forbid
    roles: [pci]
    cedar: 'forbid(principal, action, resource) unless { context.clock.hasTag("Europe/Dublin") && context.clock.getTag("Europe/Dublin").weekday <= 5 };'
`

const withPolicies = (text: string, use: (folder: string) => Promise<void>) =>
  withFolder(async (folder) => {
    await writeFile(join(folder, "pci.yaml"), `${ROLE}policies:${text}`)
    await use(folder)
  })

describe("policies who", () => {
  test("says who can decrypt by the policies in files, offline", () =>
    withPolicies(OFFICE + WEEKDAYS, async (folder) => {
      const { exitCode, stdout, stderr } = await run(
        ["policies", "who", "--role", "pci", "--policies", "."],
        { folder },
      )
      expect({ exitCode, stdout }).toEqual({
        exitCode: 0,
        stdout: "through the API, from 10.0.0.0/8, on any day except Saturday and Sunday (Europe/Dublin)\n",
      })
      expect(stderr).toBe("about 2 policies\n")
    }))

  test("has as JSON each dimension with its values", () =>
    withPolicies(OFFICE, async (folder) => {
      const { json } = await run(["policies", "who", "--role", "pci", "--policies", ".", "--json"], {
        folder,
      })
      expect(json()).toEqual({
        role: "pci",
        policies: 1,
        known: true,
        isComplete: true,
        untilMs: null,
        requests: [
          {
            words: "through the API, from 10.0.0.0/8",
            parts: [
              { name: "source", words: "through the API", isExcluded: false, values: ["api"] },
              { name: "ip", words: "from 10.0.0.0/8", isExcluded: false, values: ["10.0.0.0/8"] },
            ],
          },
        ],
      })
    }))

  test("ends with status 4 for a role that does not exist", () =>
    withPolicies(OFFICE, async (folder) => {
      const { exitCode } = await run(["policies", "who", "--role", "pcl", "--policies", "."], { folder })
      expect(exitCode).toBe(4)
    }))
})

test("policies lint ends with status 1 and the reason of each warning, and with status 0 without any", () =>
  withPolicies(
    `${OFFICE}  - { name: all, effect: permit, roles: [pci], conditions: {} }\n`,
    async (folder) => {
      const lint = (...args: string[]) => run(["policies", "lint", "--policies", ".", ...args], { folder })
      const { exitCode, stdout, stderr } = await lint()
      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: 1,
        stdout:
          "pci: office: other policies permit all that it permits (no-effect)\n" +
          "pci: all: it names no source, address, API key, function, relay destination or enclave (unbounded)\n",
        stderr: "2 warnings about 2 policies\n",
      })
      await writeFile(join(folder, "pci.yaml"), `${ROLE}policies:${OFFICE}`)
      expect(await lint()).toMatchObject({ exitCode: 0, stdout: "" })
    },
  ))

test("policies plan and diff say what a change opens and closes, and who asks the service what it has", () =>
  withPolicies(OFFICE + WEEKDAYS, async (folder) => {
    const { app, auth } = await service.newApp("sandbox")
    const env = { SEALWAY_APP: app.id, SEALWAY_API_KEY: auth.key }
    const sealway = (...args: string[]) => runAgainst(service, ["policies", ...args], { folder, env })
    expect((await sealway("apply", "--yes")).exitCode).toBe(0)
    expect((await sealway("who", "--role", "pci")).stdout).toContain("Saturday and Sunday")

    await writeFile(join(folder, "pci.yaml"), `${ROLE}policies:${OFFICE.replace("10.0.0.0/8", "10.0.0.0/9")}`)
    // What is printed before anybody waits for the meaning, which begins with the time.
    const printed: string[] = []
    const wallClock = () => {
      printed.push(host.stdoutText())
      return Date.now()
    }
    const host = createTestHost({
      folder,
      env: { ...env, SEALWAY_URL: service.url },
      fetch: sendRequest,
      wallClock,
    })
    expect(await runCli(["policies", "diff", "--prune"], host)).toBe(2)
    expect(printed.at(-1)).toContain("~ policy office")
    expect(host.stderrText().split("\n").slice(1)).toEqual([
      "role pci, for all possible requests:",
      "  newly permitted:",
      "    through the API, from 10.0.0.0/9, on Saturday and Sunday (Europe/Dublin)",
      "  newly refused:",
      "    through the API, from 10.128.0.0/9, on any day except Saturday and Sunday (Europe/Dublin)",
      "",
    ])
    expect((await sealway("plan", "--json")).json()).toMatchObject({
      meaning: [{ role: "pci", permitted: { known: true, requests: [] }, refused: { known: true } }],
    })
  }))
