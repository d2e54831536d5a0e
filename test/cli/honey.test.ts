import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createSealingKey, parseToken } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"
import { withFolder } from "../support/start.ts"
import { runAgainst } from "./cli.ts"

const service = useService()
const sealway = (args: readonly string[], folder?: string) =>
  runAgainst(service, ["honey", ...args], folder === undefined ? {} : { folder })
const honeySchema = z.object({ id: z.string(), token: z.string(), lastTouchedAt: z.number().nullable() })

const seal = async (value: string, role: string | null = null) => {
  const headers = role === null ? {} : { "x-service-data-role": role }
  return z.string().parse((await service.post("/encrypt", JSON.stringify(value), { headers })).json)
}

/** Seals as a process does that seals nothing else. */
async function sealAlone(value: string, role: string | null): Promise<string> {
  const { json } = await service.get("/keys")
  const { ecdhP256Key } = z.object({ ecdhP256Key: z.string() }).parse(json)
  const key = createSealingKey({ appPublicKey: Buffer.from(ecdhP256Key, "base64"), debug: true })
  return key.seal("string", value, { role, encryptedAt: 1 })
}

async function expectHoney(token: string): Promise<void> {
  expectProblem(await service.post("/decrypt", [token]), "decrypt/forbidden")
}

describe("sealway honey", () => {
  test("creates, lists, shows and deletes honey tokens, and lists who touched them", async () => {
    const created = await sealway(["create", "Backup", "--shape", "email", "--json"])
    const { id, token } = honeySchema.parse(created.json())
    await expectHoney(token)
    await expect
      .poll(async () => honeySchema.parse((await sealway(["get", id, "--json"])).json()).lastTouchedAt, {
        timeout: 10_000,
      })
      .not.toBeNull()
    expect((await sealway(["list"])).stdout).toContain(token)
    expect((await sealway(["touches", id])).stdout).toContain("endpoint=decrypt")
    expect((await sealway(["delete", id, "--yes"])).exitCode).toBe(0)
    expect((await sealway(["get", id])).exitCode).not.toBe(0)
  })

  test("wants exactly one thing to seal", async () => {
    for (const given of [[], ["--value", "x", "--shape", "email"]]) {
      expect(await sealway(["create", "A", ...given])).toMatchObject({ exitCode: 2 })
    }
  })
})

describe("sealway honey sow", () => {
  async function newTable(rows: number, role: string | null = null): Promise<string> {
    const lines = Array.from({ length: rows }, async (_, index) => {
      const card = await sealAlone(`42424242424242${String(index).padStart(2, "0")}`, role)
      return `${index + 1},"Person, ${index}",person${index}@example.com,2026-01-0${1 + (index % 9)},${card}\r\n`
    })
    return `id,name,email,since,card\r\n${(await Promise.all(lines)).join("")}`
  }

  const sow = (content: string, ...flags: readonly string[]) =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "in.csv"), content)
      const done = await sealway(["sow", "in.csv", "-o", "out.csv", ...flags], folder)
      const written = await readFile(join(folder, "out.csv"), "utf8").catch(() => null)
      return { ...done, written, original: await readFile(join(folder, "in.csv"), "utf8") }
    })

  test("writes a new file with made-up rows among the others, which stay byte for byte", async () => {
    await service.newRole(service.sandbox.app, "pci")
    const table = await newTable(30, "pci")
    const {
      exitCode: status,
      stdout,
      written,
      original,
    } = await sow(table, "--column", "card", "--empty", "id", "--rows", "4")
    expect(status).toBe(0)
    expect(original).toBe(table)
    expect(stdout.trim().split("\n")).toHaveLength(4)
    const lines = (text: string) => text.split("\r\n").slice(0, -1)
    const before = new Set(lines(table))
    const added = lines(written ?? "").filter((line) => !before.has(line))
    expect(lines(written ?? "").filter((line) => before.has(line))).toEqual(lines(table))
    expect(added).toHaveLength(4)
    for (const line of added) {
      expect(line).toMatch(/^,"Person, [0-9]+",person[0-9]+@example\.com,2026-01-0[1-9],ev:/)
      const token = line.split(",").at(-1) ?? ""
      expect(parseToken(token)?.version).toBe("QkTC")
      expect(token).toHaveLength((lines(table)[1] ?? "").split(",").at(-1)?.length ?? 0)
      await expectHoney(token)
    }
  })

  test("never overwrites a file", async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, "in.csv"), "card\n")
      await writeFile(join(folder, "out.csv"), "kept")
      const { exitCode: status } = await sealway(
        ["sow", "in.csv", "-o", "out.csv", "--column", "card"],
        folder,
      )
      expect(status).toBe(2)
      expect(await readFile(join(folder, "out.csv"), "utf8")).toBe("kept")
    })
  })

  test("makes up few rows among values that were encrypted together, whose key segments they share", async () => {
    const cells = await Promise.all(Array.from({ length: 8 }, () => seal("4242424242424242")))
    const table = `card\n${cells.map((cell) => `${cell}\n`).join("")}`
    const { written } = await sow(table, "--column", "card", "--rows", "5")
    const segments = (written ?? "")
      .trim()
      .split("\n")
      .slice(1)
      .map((cell) => cell.split(":").at(-3))
    expect(segments).toHaveLength(13)
    expect(new Set(segments).size).toBe(new Set(cells.map((cell) => cell.split(":").at(-3))).size)
    const { exitCode, stderr } = await sow(table, "--column", "card", "--rows", "100")
    expect(exitCode).toBe(2)
    expect(stderr).toContain("encrypted together")
  })

  test.each([
    ["an unknown column", ["--column", "iban"], "no column iban"],
    ["a column without tokens", ["--column", "name", "--column", "card"], "no encrypted values"],
    ["a column of tokens that is not named", ["--column", "card"], "Pass --column iban"],
    ["too many rows", ["--column", "card", "--rows", "101"], "--rows"],
    ["no column", [], "--column"],
  ])("refuses %s, and creates nothing", async (name, flags, message) => {
    const token = await seal("x")
    const iban = name.includes("not named") ? [",iban", `,${token}`] : ["", ""]
    const {
      exitCode: status,
      stderr,
      written,
    } = await sow(`name,card${iban[0]}\nA,${token}${iban[1]}\n`, ...flags)
    expect(status).toBe(2)
    expect(stderr).toContain(message)
    expect(written).toBeNull()
  })

  test.each(["", "card\n", 'card\n"ev:'])("refuses a table without rows: %j", async (content) => {
    const { exitCode: status, written } = await sow(content, "--column", "card")
    expect(status).toBe(2)
    expect(written).toBeNull()
  })
})
