import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { policyOf } from "../support/policies.ts"
import { useService } from "../support/service.ts"
import { withFolder } from "../support/start.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
const sealway = (args: readonly string[], options?: CliOptions) => runAgainst(service, args, options)
const CARD = "4242424242424242"
const MASK = { type: "last", count: 4 }

beforeAll(async () => {
  await service.post("/data-roles", { slug: "card", name: "Cards", mask: MASK })
  await service.post("/data-policies", policyOf("card", { requiresReason: true }))
  await service.post("/data-policies", policyOf("card", { reveal: "masked" }))
})

/** Creates a format with a name of its own. */
async function newFormat(name: string, ...options: readonly string[]): Promise<string> {
  const made = await sealway(["formats", "create", name, "--role", "card", ...options])
  expect(made, made.stderr).toMatchObject({ exitCode: 0 })
  return name
}

describe("formats", () => {
  test("are created by a preset, listed, shown, archived and restored", async () => {
    const name = await newFormat("cards", "--preset", "card-number", "--description", "Old system")
    const shown = await sealway(["formats", "get", name, "--json"])
    expect(shown.json()).toMatchObject({ name, role: "card", description: "Old system", luhn: "keep" })
    expect((await sealway(["formats", "list"])).stdout).toContain("cards")
    const update = (...options: readonly string[]) =>
      sealway(["formats", "update", name, ...options, "--json"])
    expect((await update("--archive", "--description", "New")).json()).toMatchObject({
      archived: true,
      description: "New",
    })
    expect((await update("--restore")).json()).toMatchObject({ archived: false, description: "New" })
    expect((await update()).exitCode).toBe(2)
    expect((await update("--restore", "--archive")).exitCode).toBe(2)
  })

  test("are created by what a value is made of", async () => {
    const made = [
      "--alphabet",
      "hex",
      "--length",
      "8-10",
      "--keep-last",
      "1",
      "--literals",
      "-",
      "--versioned",
    ]
    await newFormat("parts", ...made)
    expect((await sealway(["formats", "get", "parts", "--json"])).json()).toMatchObject({
      alphabet: "0123456789abcdef",
      lengths: { min: 8, max: 10 },
      keep: { first: 0, last: 1 },
      literals: "-",
      luhn: "any",
      versioned: true,
    })
    await newFormat("fixed", "--alphabet", "digits", "--length", "9")
    expect((await sealway(["formats", "get", "fixed", "--json"])).json()).toMatchObject({
      lengths: { min: 9, max: 9 },
    })
  })

  test("are refused with what is wrong", async () => {
    const create = (...options: readonly string[]) => sealway(["formats", "create", "x", ...options])
    expect((await create("--preset", "date")).exitCode).toBe(2)
    expect((await create("--role", "card", "--alphabet", "hex", "--length", "a")).exitCode).toBe(2)
    expect((await create("--role", "card", "--preset", "date", "--luhn", "any")).exitCode).toBe(2)
    const small = await create("--role", "card", "--alphabet", "digits", "--length", "5")
    expect(small.exitCode).toBe(1)
    expect(small.stderr).toContain("1,000,000 are needed")
  })
})

describe("--format", () => {
  test("encrypts one value and decrypts it, with policies, reasons and masks", async () => {
    const name = await newFormat("one", "--preset", "card-number")
    const token = (await sealway(["encrypt", "--format", name, "--value", CARD])).stdout.trim()
    expect(token).toMatch(/^\d{12}4242$/)
    expect(token).not.toBe(CARD)
    const decrypt = (...options: readonly string[]) =>
      sealway(["decrypt", "--format", name, "--value", token, ...options])
    expect(await decrypt("--reason", "Ticket 7")).toMatchObject({ exitCode: 0, stdout: `${CARD}\n` })
    expect((await decrypt("--masked")).stdout).toBe("•••4242\n")
    expect(await decrypt()).toMatchObject({ exitCode: 1, stdout: "" })
  })

  test("encrypts a column to tokens that fit, decrypts it, and rewraps it after a rotation", () =>
    withFolder(async (folder) => {
      const name = await newFormat("column", "--preset", "us-ssn")
      const lines = Array.from({ length: 500 }, (_, index) => `${index},${String(100_000_000 + index)},x\r\n`)
      const table = `id,ssn,note\r\n${lines.join("")}501,,empty\r\n`
      await writeFile(join(folder, "in.csv"), table)
      const change = async (command: string, from: string, to: string, ...options: readonly string[]) => {
        const args = [command, from, "--format", name, "--columns", "ssn", "--batch-rows", "70", "-o", to]
        const { exitCode, stderr } = await sealway([...args, ...options], { folder })
        expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "501 rows\n" })
        return readFile(join(folder, to), "utf8")
      }
      const tweak = ["--tweak", "customer-7"]
      const reason = ["--reason", "Move"]
      const first = await change("encrypt", "in.csv", "v1.csv", ...tweak)
      expect(first).toMatch(/^id,ssn,note\r\n0,\d{9},x\r\n1,\d{9},x\r\n/)
      expect(first).not.toBe(await change("encrypt", "in.csv", "other.csv"))
      expect(await change("decrypt", "v1.csv", "out.csv", ...tweak, ...reason)).toBe(table)

      expect((await sealway(["formats", "rotate", name, "--yes"])).exitCode).toBe(0)
      const version = ["--token-version", "1"]
      expect(await change("decrypt", "v1.csv", "old.csv", ...tweak, ...reason, ...version)).toBe(table)
      const second = await change("rewrap", "v1.csv", "v2.csv", ...tweak, ...version)
      expect(second).toBe(await change("encrypt", "in.csv", "new.csv", ...tweak))
      expect(second).not.toBe(first)
    }))

  test("changes the selected strings of JSON lines, and leaves out rows that do not fit", async () => {
    const name = await newFormat("lines", "--preset", "us-ssn")
    const stdin = '{"a":"078051120","n":1}\n{"a":"078"}\n{"a":78051120}\n{"a":"078051121"}\n'
    const encrypted = await sealway(["encrypt", "--format", name, "--fields", "$.a"], { stdin })
    expect(encrypted.exitCode).toBe(1)
    expect(encrypted.stdout).toMatch(/^\{"a":"\d{9}","n":1\}\n\{"a":"\d{9}"\}\n$/)
    expect(encrypted.stderr).toContain('"row":2')
    expect(encrypted.stderr).toContain('"row":3')
    expect(encrypted.stderr).not.toContain('"078')
  })

  test("fails at once, and not row by row, when a version or a tweak is wrong", async () => {
    const name = await newFormat("wrong", "--preset", "us-ssn")
    const stdin = "ssn\n078051120\n"
    for (const options of [["--token-version", "9"], ["--tweak", "a b"], []]) {
      const ended = await sealway(["rewrap", "--format", name, "--columns", "ssn", ...options], { stdin })
      expect(ended.exitCode, options.join(" ")).toBe(1)
      expect(ended.stderr).not.toContain("row")
    }
  })

  test("is refused with options that only ev: tokens have, and other options without it", async () => {
    const status = async (...args: readonly string[]) =>
      (await sealway([...args, "--value", "078051120"])).exitCode
    expect(await status("encrypt", "--format", "x", "--role", "card")).toBe(2)
    expect(await status("encrypt", "--format", "x", "--subject", "ada")).toBe(2)
    expect(await status("encrypt", "--tweak", "x")).toBe(2)
    expect(await status("decrypt", "--token-version", "1")).toBe(2)
    expect(await status("decrypt", "--format", "x", "--token-version", "v1")).toBe(2)
    expect((await sealway(["rewrap", "--format", "x", "--binary"], { stdin: "x" })).exitCode).toBe(2)
    expect(await status("encrypt", "--format", "no-such-format")).toBe(4)
  })
})
