import { mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { withFolder } from "../support/start.ts"
import { type CliOptions, run } from "./cli.ts"

const POLICIES = `
roles:
  - slug: pci
    name: Card numbers
policies:
  - name: support
    effect: permit
    roles: [pci]
    conditions:
      ipRanges: [10.0.0.0/8]
  - name: no relays
    effect: forbid
    roles: [pci]
    conditions: { sources: [relay] }
`
const TESTS = `
role: pci
tests:
  - name: support in the office
    context: { ip: 10.1.2.3 }
    expect: permit
    decidedBy: [support]
  - name: support elsewhere
    context: { ip: 192.0.2.1 }
    expect: deny
`

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

/** Runs a command in a folder of files, without a service. */
const inFolder = (files: Readonly<Record<string, string>>, args: readonly string[], options?: CliOptions) =>
  withFolder(async (folder) => {
    await write(folder, files)
    return run(args, { folder, ...options })
  })

describe("policy tests", () => {
  test("pass with status 0, offline", async () => {
    const result = await inFolder({ "pci.yaml": POLICIES, "pci.policy-test.yaml": TESTS }, [
      "policies",
      "test",
    ])
    expect(result.exitCode).toBe(0)
    expect(result.stdout).toBe(
      "pci.policy-test.yaml: role pci\n  ok      support in the office\n  ok      support elsewhere\n",
    )
    expect(result.stderr).toBe("2 passed, 0 failed\n")
  })

  test("expect masks, for a role that has one", async () => {
    const masked = POLICIES.replace(
      "    name: Card numbers",
      "    name: Card numbers\n    mask: { type: name }",
    ).replace("    effect: permit", "    effect: permit\n    reveal: masked")
    const tests = TESTS.replace("expect: permit", "expect: masked")
    const files = { "pci.yaml": masked, "pci.policy-test.yaml": tests }
    expect((await inFolder(files, ["policies", "test"])).stderr).toBe("2 passed, 0 failed\n")
    const without = { ...files, "pci.yaml": masked.replace(/\n.*mask: .*type.*/, "") }
    expect((await inFolder(without, ["policies", "test"])).stdout).toContain("The decision is deny")
  })

  test("fail with status 1, and report the result of each policy", async () => {
    const tests = TESTS.replace("expect: deny", "expect: permit")
    const files = { "a/pci.yml": POLICIES, "a/b/pci.policy-test.yml": tests }
    const result = await inFolder(files, ["policies", "test", "a"])
    expect(result.exitCode).toBe(1)
    expect(result.stdout).toContain("FAILED  support elsewhere")
    expect(result.stdout).toContain("permit support does not apply: ipRanges")
    expect(result.stderr).toBe("1 passed, 1 failed\n")
  })

  test("run from one file against the policies of its folder", async () => {
    const files = {
      "a/pci.yaml": POLICIES,
      "a/pci.policy-test.yaml": TESTS,
      "a/no.policy-test.yaml": "role: 1",
    }
    const result = await inFolder(files, ["policies", "test", "a/pci.policy-test.yaml", "--json"])
    expect(result.exitCode).toBe(0)
    expect(result.json()).toMatchObject({ passed: 2, failed: 0, files: [{ role: "pci" }] })
  })

  test("end with status 2 when there are none, because nothing was tested", async () => {
    expect((await inFolder({ "pci.yaml": POLICIES }, ["policies", "test"])).exitCode).toBe(2)
    expect((await inFolder({}, ["policies", "test", "nowhere"])).exitCode).toBe(2)
  })
})

describe("policy files", () => {
  const problemOf = async (files: Readonly<Record<string, string>>) => {
    const result = await inFolder({ "t.policy-test.yaml": TESTS, ...files }, ["policies", "test"])
    expect(result).toMatchObject({ exitCode: 2, stdout: "" })
    return result.stderr
  }

  test("report every problem with its file and line", async () => {
    const bad = POLICIES.replace("10.0.0.0/8", "10.0.0.0/33").replace("effect: forbid", "effect: maybe")
    const problems = await problemOf({ "bad.yaml": bad })
    expect(problems).toContain("bad.yaml:10: /policies/0/conditions/ipRanges/0: ")
    expect(problems).toContain("bad.yaml:12: /policies/1/effect: ")
  })

  test("report the document of a problem where a file has several", async () => {
    const problems = await problemOf({ "two.yaml": `${POLICIES}---\npolicies:\n  - name: support\n` })
    expect(problems).toMatch(/two\.yaml:1[78]: /)
  })

  test("refuse a duplicate name, in any files", async () => {
    expect(await problemOf({ "a.yaml": POLICIES, "b.yaml": POLICIES })).toMatch(
      /b\.yaml:6: \/policies\/0\/name: /,
    )
  })

  test("refuse a duplicate field", async () => {
    const problems = await problemOf({ "a.yaml": `${POLICIES}    effect: permit\n` })
    expect(problems).toMatch(/a\.yaml:15: /)
  })

  test("refuse unknown fields, such as a misspelt condition", async () => {
    const problems = await problemOf({ "a.yaml": POLICIES.replace("ipRanges", "ipRange") })
    expect(problems).toContain("a.yaml:10: /policies/0/conditions: ")
  })

  test("refuse tags that run code and aliases that grow", async () => {
    expect(await problemOf({ "a.yaml": "roles: !!js/function 'x'" })).toContain("a.yaml:1")
    const bomb = Array.from(
      { length: 30 },
      (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`,
    )
    expect(await problemOf({ "a.yaml": `a0: &a0 x\n${bomb.join("\n")}` })).toContain("aliases")
  })

  test("refuse text that is not YAML, naming the line", async () => {
    expect(await problemOf({ "a.yaml": "roles:\n  - [" })).toMatch(/a\.yaml:[23]: /)
  })

  test.each(["__proto__: 1", "conditions:\n  '__proto__': 1", 'conditions: {a: [{"\\u005f_proto__": 1}]}'])(
    "refuse a field named __proto__, naming the line: %j",
    async (text) => {
      expect(await problemOf({ "a.yaml": `name: x\n${text}` })).toMatch(/a\.yaml:[23]: .*__proto__/)
    },
  )

  test("are found behind links, and not in hidden folders", async () => {
    await withFolder(async (folder) => {
      await write(folder, {
        "shared/pci.txt": POLICIES,
        "p/t.policy-test.yaml": TESTS,
        "p/.git/x.yaml": "nothing: 1",
      })
      await symlink("../shared/pci.txt", join(folder, "p", "pci.yaml"))
      expect((await run(["policies", "test", "p"], { folder })).exitCode).toBe(0)
    })
  })
})
