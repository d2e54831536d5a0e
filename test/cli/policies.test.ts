import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { sendRequest } from "@sealway/cli/testing"
import { describe, expect, test } from "vitest"
import { type Identity, useService } from "../support/service.ts"
import { withFolder } from "../support/start.ts"
import { type CliOptions, type CliResult, runAgainst } from "./cli.ts"

const service = useService()

const ROLES = `
roles:
  - slug: pci
    name: Card numbers
    description: What PCI DSS is about
`
const policy = (name: string, { effect = "permit", ip = "10.0.0.0/8" } = {}) => `
  - name: ${name}
    effect: ${effect}
    roles: [pci]
    conditions:
      ipRanges: [${ip}]
`

interface Place {
  readonly identity: Identity
  readonly folder: string
  write(text: string): Promise<void>
  sealway(args: readonly string[], options?: CliOptions): Promise<CliResult>
}

/** Creates an app, and a folder with one file of policies. */
const withApp = (use: (place: Place) => Promise<void>) =>
  withFolder(async (folder) => {
    const identity = await service.newApp("sandbox")
    await use({
      identity,
      folder,
      write: (text) => writeFile(join(folder, "policies.yaml"), text),
      sealway: (args, { env = {}, ...options } = {}) =>
        runAgainst(service, args, {
          folder,
          env: { SEALWAY_APP: identity.app.id, SEALWAY_API_KEY: identity.auth.key, ...env },
          ...options,
        }),
    })
  })

describe("apply", () => {
  test("creates what is missing, and changes nothing the second time", () =>
    withApp(async ({ write, sealway }) => {
      await write(`${ROLES}policies:${policy("office")}${policy("night", { effect: "forbid" })}`)
      expect((await sealway(["policies", "diff", "--quiet"])).exitCode).toBe(2)
      const plan = await sealway(["policies", "plan"])
      expect(plan.exitCode).toBe(0)
      expect(plan.stdout).toBe("+ role pci\n+ policy night\n+ policy office\n")
      expect(plan.stderr).toBe(
        "3 to create, 0 to update, 0 to delete.\n" +
          "role pci, for all possible requests:\n  no request is decided otherwise\n" +
          "  warning: no request is ever permitted (closed-role)\n" +
          "  warning: office: other policies forbid all that it permits (no-effect)\n",
      )

      const applied = await sealway(["policies", "apply", "--yes"])
      expect(applied).toMatchObject({ exitCode: 0, stdout: plan.stdout })
      expect((await sealway(["roles", "get", "pci", "--json"])).json()).toMatchObject({
        slug: "pci",
        name: "Card numbers",
        description: "What PCI DSS is about",
      })
      expect((await sealway(["policies", "get", "office", "--json"])).json()).toMatchObject({
        effect: "permit",
        roles: ["pci"],
        conditions: { ipRanges: ["10.0.0.0/8"] },
      })

      expect(await sealway(["policies", "diff"])).toMatchObject({ exitCode: 0, stdout: "" })
      const again = await sealway(["policies", "apply", "--yes", "--json"])
      expect(again).toMatchObject({ exitCode: 0, stderr: "" })
      expect(again.json()).toEqual({ applied: [], failed: null, left: [] })
    }))

  test("updates what differs, and shows each field that does", () =>
    withApp(async ({ write, sealway }) => {
      await write(`${ROLES}policies:${policy("office")}`)
      await sealway(["policies", "apply", "-y"])
      const { id } = (await sealway(["policies", "get", "office", "--json"])).json() as { id: string }
      await write(
        `${ROLES.replace("Card numbers", "Cards")}policies:${policy("office", { ip: "192.0.2.0/24" })}`,
      )
      const applied = await sealway(["policies", "apply", "-y"])
      expect(applied.stdout).toBe(
        '~ role pci\n    name: "Card numbers" → "Cards"\n' +
          '~ policy office\n    conditions.ipRanges: ["10.0.0.0/8"] → ["192.0.2.0/24"]\n',
      )
      expect((await sealway(["policies", "get", id, "--json"])).json()).toMatchObject({
        conditions: { ipRanges: ["192.0.2.0/24"] },
      })
      expect((await sealway(["policies", "diff", "--quiet"])).exitCode).toBe(0)
    }))

  test("turns conditions into Cedar and back", () =>
    withApp(async ({ write, sealway }) => {
      const cedar =
        '\n  - { name: office, effect: permit, roles: [pci], cedar: "permit (principal, action, resource);" }\n'
      await write(`${ROLES}policies:${policy("office")}`)
      await sealway(["policies", "apply", "-y"])
      for (const text of [cedar, policy("office")]) {
        await write(`${ROLES}policies:${text}`)
        expect((await sealway(["policies", "diff", "--quiet"])).exitCode).toBe(2)
        expect(await sealway(["policies", "apply", "-y"])).toMatchObject({ exitCode: 0 })
        expect((await sealway(["policies", "diff", "--quiet"])).exitCode).toBe(0)
      }
    }))

  test("ignores what no file names, unless it is told to prune", () =>
    withApp(async ({ write, sealway }) => {
      await write(`${ROLES}policies:${policy("office")}${policy("old")}`)
      await sealway(["policies", "apply", "-y"])
      await sealway(["roles", "create", "stray"])
      await write(`${ROLES}policies:${policy("office")}`)
      const plan = await sealway(["policies", "plan"])
      expect(plan.stdout).toBe("")
      expect(plan.stderr).toContain("role stray, policy old")
      expect((await sealway(["policies", "diff", "--quiet"])).exitCode).toBe(0)

      const pruned = await sealway(["policies", "apply", "--prune", "-y"])
      expect(pruned).toMatchObject({ exitCode: 0, stdout: "- policy old\n- role stray\n" })
      expect((await sealway(["policies", "get", "old"])).exitCode).toBe(4)
      expect((await sealway(["roles", "get", "stray"])).exitCode).toBe(4)
      expect((await sealway(["policies", "diff", "--prune"])).exitCode).toBe(0)
    }))

  test("stops at a change that fails, reports what was done, and continues the next time", () =>
    withApp(async ({ write, sealway, identity }) => {
      await write(`${ROLES}policies:${policy("office")}${policy("second")}`)
      // A key that may write roles but not policies fails midway.
      const { key } = await service.newKey(identity.app, [
        "dataRole:read",
        "dataRole:write",
        "dataPolicy:read",
      ])
      const env = { SEALWAY_API_KEY: key }
      const stopped = await sealway(["policies", "apply", "-y"], { env })
      expect(stopped.exitCode).toBe(3)
      expect(stopped.stderr).toContain(
        "create policy office failed: The credentials lack the scope dataPolicy:create.",
      )
      expect(stopped.stderr).toContain("done: create role pci")
      expect(stopped.stderr).toContain("not tried: create policy second")
      expect(stopped.stderr).toContain("1 of 3 changes were made.")
      const asJson = await sealway(["policies", "apply", "-y", "--json"], { env })
      expect(asJson.json()).toMatchObject({
        applied: [],
        failed: { name: "office" },
        left: [{ name: "second" }],
      })
      expect(JSON.parse(asJson.stderr)).toMatchObject({ code: "forbidden" })

      const resumed = await sealway(["policies", "apply", "-y"])
      expect(resumed).toMatchObject({ exitCode: 0, stdout: "+ policy office\n+ policy second\n" })
    }))

  test("ends with status 130 when interrupted, and reports what was done", () =>
    withApp(async ({ write, sealway }) => {
      await write(`${ROLES}policies:${policy("office")}`)
      const interruption = new AbortController()
      const stopped = await sealway(["policies", "apply", "-y"], {
        signal: interruption.signal,
        fetch(address, init) {
          if (init.method === "POST" && address.endsWith("/data-policies")) interruption.abort(130)
          return sendRequest(address, init)
        },
      })
      expect(stopped.exitCode).toBe(130)
      expect(stopped.stderr).toContain("done: create role pci")
      expect(stopped.stderr).toContain("1 of 2 changes were made.")
      expect((await sealway(["policies", "apply", "-y"])).stdout).toBe("+ policy office\n")
    }))

  test("does not ask where there is no terminal, and changes nothing: status 2", () =>
    withApp(async ({ write, sealway }) => {
      await write(ROLES)
      expect((await sealway(["policies", "apply"])).exitCode).toBe(2)
      expect((await sealway(["policies", "apply", "--json"], { isTty: true, stdin: "y\n" })).exitCode).toBe(2)
      expect((await sealway(["policies", "diff", "--quiet"])).exitCode).toBe(2)
    }))

  test.each([
    ["y\n", 0],
    ["n\n", 1],
    ["\n", 1],
  ])("obeys the answer on a terminal: %j", (stdin, exitCode) =>
    withApp(async ({ write, sealway }) => {
      await write(ROLES)
      expect((await sealway(["policies", "apply"], { isTty: true, stdin })).exitCode).toBe(exitCode)
      expect((await sealway(["roles", "get", "pci"])).exitCode).toBe(exitCode === 0 ? 0 : 4)
    }),
  )

  test("restores an archived role", () =>
    withApp(async ({ write, sealway }) => {
      await write(ROLES)
      await sealway(["policies", "apply", "-y"])
      await sealway(["encrypt", "--value", "x", "--role", "pci"])
      const deleted = await sealway(["roles", "delete", "pci"])
      expect(deleted).toMatchObject({ exitCode: 0, stderr: "Archived pci: it was used.\n" })
      const applied = await sealway(["policies", "apply", "-y"])
      expect(applied.stdout).toBe("~ role pci\n    archived: true → false\n")
      expect((await sealway(["policies", "diff", "--prune"])).exitCode).toBe(0)
    }))
})

describe("plan", () => {
  test("is impossible for a policy whose role exists nowhere", () =>
    withApp(async ({ write, sealway }) => {
      await write(`policies:${policy("office")}`)
      const plan = await sealway(["policies", "plan"])
      expect(plan.exitCode).toBe(1)
      expect(plan.stderr).toContain('"pci"')
    }))

  test("regards an empty folder as a mistake, not as the wish to delete everything: status 2", () =>
    withApp(async ({ sealway, folder }) => {
      expect((await sealway(["policies", "plan", "--prune"])).exitCode).toBe(2)
      await rm(join(folder, "policies.yaml"), { force: true })
      expect((await sealway(["policies", "apply", "--prune", "-y"])).exitCode).toBe(2)
    }))

  test("lets scripts of diff tell a mistake from a difference: status 1", () =>
    withApp(async ({ sealway }) => {
      expect((await sealway(["policies", "diff", "nowhere"])).exitCode).toBe(1)
      expect((await sealway(["policies", "diff", "--purge"])).exitCode).toBe(1)
      expect((await sealway(["policies", "diff", "--timeout", "x"])).exitCode).toBe(1)
      expect((await sealway(["policies", "diff", "--help"])).exitCode).toBe(0)
    }))
})

describe("explain", () => {
  test("prints the decision, and which condition of which policy failed", () =>
    withApp(async ({ write, sealway }) => {
      await write(
        `${ROLES}policies:${policy("office")}${policy("blocked", { effect: "forbid", ip: "10.6.6.0/24" })}`,
      )
      await sealway(["policies", "apply", "-y"])
      const explain = async (ip: string) =>
        (await sealway(["policies", "explain", "--role", "pci", "--ip", ip])).rows()
      const rows = await explain("10.1.1.1")
      expect(rows[0]).toEqual(["permit: permitted"])
      expect(rows.slice(1).toSorted()).toEqual([
        ["blocked", "forbid", "no: ipRanges", "no", "-"],
        ["office", "permit", "yes", "yes", "-"],
      ])
      expect((await explain("10.6.6.6"))[0]).toEqual(["deny: forbidden"])
      expect((await explain("192.0.2.1"))[0]).toEqual(["deny: no-policy-permits"])
      const quiet = await sealway(["policies", "explain", "-r", "pci", "--ip", "10.1.1.1", "-q"])
      expect(quiet.stdout).toBe("permit\n")
    }))

  test("evaluates the policies of files", () =>
    withApp(async ({ write, sealway }) => {
      await sealway(["roles", "create", "pci"])
      await write(`policies:${policy("office")}`)
      const args = ["policies", "explain", "--role", "pci", "--ip", "10.1.1.1", "-q"]
      expect((await sealway(args)).stdout).toBe("deny\n")
      expect((await sealway([...args, "--policies", "."])).stdout).toBe("permit\n")
    }))

  test("names the option that is not understood", () =>
    withApp(async ({ sealway }) => {
      const refused = await sealway(["policies", "explain", "--role", "pci", "--ip", "nowhere"])
      expect(refused.exitCode).toBe(1)
      expect(refused.stderr).toContain("/context/ip")
    }))
})

test("simulates which past decisions would have been different", () =>
  withApp(async ({ write, sealway }) => {
    await write(`${ROLES}policies:${policy("everywhere", { ip: "0.0.0.0/0" })}`)
    await sealway(["policies", "apply", "-y"])
    const sealed = await sealway(["encrypt", "--text", "--role", "pci"], { stdin: "x" })
    expect((await sealway(["decrypt", "--text"], { stdin: sealed.stdout })).stdout).toBe("x\n")

    expect((await sealway(["policies", "simulate", "."])).stdout).toBe("")
    await write(`${ROLES}policies:${policy("everywhere", { ip: "10.0.0.0/8" })}`)
    const rows = (await sealway(["policies", "simulate", ".", "--hours", "1"])).rows()
    expect(rows).toHaveLength(1)
    expect(rows[0]?.slice(0, 4)).toEqual(["pci", "1", "permit", "deny"])
    expect(rows[0]?.[5]).toContain("ip=127.0.0.1")
    expect((await sealway(["policies", "simulate", ".", "--role", "other"])).stdout).toBe("")
    expect((await sealway(["policies", "simulate", ".", "--hours", "169"])).exitCode).toBe(1)
  }))

describe("a role", () => {
  test("is created, shown, changed and deleted by its slug", () =>
    withApp(async ({ sealway }) => {
      const created = await sealway(["roles", "create", "phi", "--name", "Health", "--description", "x"])
      expect(created.rows()[0]).toEqual(["slug", "phi"])
      await sealway(["roles", "update", "phi", "--name", "Health data"])
      const strict = await sealway(["roles", "update", "phi", "--access-log", "strict"])
      expect(strict.rows()).toContainEqual(["access log", "strict"])
      await sealway(["roles", "update", "phi", "--access-log", "standard"])
      expect((await sealway(["roles", "update", "phi", "--access-log", "loud"])).exitCode).toBe(2)
      const listed = await sealway(["roles", "list"])
      expect(listed.rows()[0]).toEqual([
        "phi",
        "Health data",
        "in use",
        expect.any(String),
        "x",
        "standard",
        "-",
      ])
      expect(await sealway(["roles", "delete", "phi"])).toMatchObject({
        exitCode: 0,
        stderr: "Deleted phi.\n",
      })
      expect((await sealway(["roles", "get", "phi"])).exitCode).toBe(4)
    }))

  test("is refused with its place when the slug is invalid", () =>
    withApp(async ({ sealway }) => {
      const refused = await sealway(["roles", "create", "No Slug"])
      expect(refused.exitCode).toBe(1)
      expect(refused.stderr).toContain("/slug")
    }))
})

test("deletes a policy by its name, and decryption ends with it", () =>
  withApp(async ({ write, sealway }) => {
    await write(`${ROLES}policies:${policy("office")}`)
    await sealway(["policies", "apply", "-y"])
    expect((await sealway(["policies", "list"])).rows().map((row) => row[1])).toEqual(["office"])
    expect((await sealway(["policies", "delete", "office"])).exitCode).toBe(0)
    expect((await sealway(["policies", "list"])).stdout).toBe("")
    expect((await sealway(["policies", "delete", "office"])).exitCode).toBe(4)
  }))
