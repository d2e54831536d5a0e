import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { discardBody, type SendRequest, sendRequest } from "@sealway/cli/testing"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealway-bins-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const sealway = (args: readonly string[], options?: CliOptions) =>
  runAgainst(service, args, { folder, ...options })
const HEADER = "from,to,brand,issuer,country,fastFunds,comment"

/** Records in no order, more than one request carries. */
const manyRecords = Array.from({ length: 5_000 }, (_, index) => {
  const digits = String(40_000_000 + ((index * 7_919) % 5_000))
  return `${digits},,visa,"Bank ${index % 3}, ""The"" Bank",US,"{""domestic"":true,""crossBorder"":false}",x`
})

const write = (name: string, lines: readonly string[], end = "\r\n") =>
  writeFile(join(folder, name), lines.join(end) + end)

/** A connection that is lost after some requests that send rows. */
function losing(afterRequests: number): SendRequest {
  let left = afterRequests
  return async (input, init) => {
    if (init.method === "PUT" && left-- <= 0) throw new Error("The connection is lost")
    return sendRequest(input, init)
  }
}

describe("sealway bins", () => {
  test("imports a file whose records are in no order, activates it, lists, activates and deletes", async () => {
    await write("many.csv", [`\ufeff${HEADER}`, ...manyRecords])
    const imported = await sealway(["bins", "import", "many.csv", "--json"])
    expect(imported).toMatchObject({ exitCode: 0 })
    expect(imported.json()).toMatchObject({ name: "many.csv", status: "active", rows: 5_000 })
    const { id } = imported.json() as { id: string }

    const found = await sealway(["payments", "bin-lookup", "--value", "4000000000000002", "--json"])
    expect(found.json()).toMatchObject({
      brand: "visa",
      issuer: 'Bank 0, "The" Bank',
      country: "us",
      matchPrecision: 8,
      fastFunds: { domestic: true, crossBorder: false },
    })

    await write("few.csv", [HEADER, "424242,424242,visa,One,,,"], "\n")
    const second = await sealway(["bins", "import", "few.csv", "--name", "Few", "--no-activate", "-q"])
    expect(second.exitCode).toBe(0)
    const listed = await sealway(["bins", "list"])
    expect(listed.rows().map((row) => row.slice(0, 4))).toEqual([
      [second.stdout.trim(), "Few", "importing", "1"],
      [id, "many.csv", "active", "5000"],
    ])
    expect(await sealway(["bins", "delete", id, "--yes"])).toMatchObject({ exitCode: 1, stdout: "" })
    expect((await sealway(["bins", "activate", second.stdout.trim()])).exitCode).toBe(0)
    expect((await sealway(["bins", "activate", id, "--json"])).json()).toMatchObject({ status: "active" })
  })

  test("continues where an import ended early", async () => {
    await write("lost.csv", [HEADER, ...manyRecords])
    const lost = await sealway(["bins", "import", "lost.csv"], { fetch: losing(1) })
    expect(lost.exitCode).not.toBe(0)
    const [, id = ""] = /--resume (bin_table_[0-9a-z]+)/.exec(lost.stderr) ?? []
    expect(id).not.toBe("")
    const puts: string[] = []
    const counting: SendRequest = async (input, init) => {
      if (init.method === "PUT") puts.push(input)
      return sendRequest(input, init)
    }
    const resumed = await sealway(["bins", "import", "lost.csv", "--resume", id, "--json"], {
      fetch: counting,
    })
    expect(resumed.json()).toMatchObject({ id, status: "active", rows: 5_000 })
    expect(puts.length).toBeGreaterThan(1)
    expect(puts.some((url) => url.endsWith("from=0"))).toBe(false)
  })

  test("repeats a request that failed on its way", async () => {
    await write("again.csv", [HEADER, ...manyRecords])
    let failures = 2
    const flaky: SendRequest = async (input, init) => {
      const answer = await sendRequest(input, init)
      if (init.method !== "PUT" || failures-- <= 0) return answer
      await discardBody(answer)
      return new Response('{"code":"service-unavailable"}', { status: 503, headers: { "retry-after": "0" } })
    }
    const imported = await sealway(["bins", "import", "again.csv", "--json"], { fetch: flaky })
    expect(imported.json()).toMatchObject({ rows: 5_000 })
  })

  test.each([
    ["a file that is not UTF-8", Buffer.from(`${HEADER}\n400000,,visa,Soci\xe9t\xe9,,,\n`, "latin1")],
    ["a file in UTF-16", Buffer.from(`\ufeff${HEADER}\n400000,,visa,One,,,\n`, "utf16le")],
    ["an archive", Buffer.from("504b0304140000000800000021", "hex")],
    ["a NUL in a cell", Buffer.from(`${HEADER}\n400000,,visa,a\0b,,,\n`)],
    ["a line without end", Buffer.from(`${HEADER}\n${"4".repeat(1_000_000)}`)],
    ["quotes that swallow the rest", Buffer.from(`${HEADER}\n400000,,visa,"x,,,\n400001,,visa,y,,,\n`)],
    ["a column twice", Buffer.from("from,brand,from\n400000,visa,500000\n")],
  ])("refuses %s, and imports nothing", async (name, bytes) => {
    const file = `${name.replaceAll(" ", "-")}.csv`
    await writeFile(join(folder, file), bytes)
    const refused = await sealway(["bins", "import", file])
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" })
    const looked = await sealway(["payments", "bin-lookup", "--value", "400000", "--json"])
    expect(looked.json()).not.toMatchObject({ issuer: expect.stringMatching(/^(One|a|x|y)/) })
  })

  test.each([
    ["no file", null, 2],
    ["an empty file", [], 2],
    ["a header alone", [HEADER], 2],
    ["no column from", ["to,brand", "400000,visa"], 2],
    ["a record of too few cells", [HEADER, "400000,400000,visa"], 2],
    ["a range that is none", [HEADER, "40000,,visa,,,,"], 2],
    ["JSON that is none", [HEADER, "400000,,visa,,,{,"], 2],
    ["quotes that do not end", [HEADER, '400000,,visa,"x,,,'], 2],
    ["a brand that is none", [HEADER, "400001,,visa,,,,", "400000,,elo,,,,"], 2],
    ["ranges that overlap", [HEADER, "400000,400009,visa,,,,", "400005,,visa,,,,"], 2],
  ])("refuses %s, and says which record it is", async (name, lines, exitCode) => {
    const file = `${name.replaceAll(" ", "-")}.csv`
    if (lines !== null) await writeFile(join(folder, file), lines.join("\n"))
    const refused = await sealway(["bins", "import", file])
    expect(refused).toMatchObject({ exitCode, stdout: "" })
    if (name.startsWith("a brand")) expect(refused.stderr).toContain("Record 2, brand")
    if (name.startsWith("ranges")) expect(refused.stderr).toContain("Record 2, from")
  })
})

describe("sealway payments", () => {
  test("returns the payment account reference, from standard input or the command line", async () => {
    const told = await sealway(["payments", "par-lookup", "-q"], { stdin: "4000000000000002\n" })
    expect(told.stdout).toMatch(/^[0-9A-Z]{29}\n$/)
    const again = await sealway(["payments", "par-lookup", "--value", "4000000000000002", "-q"])
    expect(again.stdout).toBe(told.stdout)
    expect(await sealway(["payments", "par-lookup", "--value", "4242"])).toMatchObject({ exitCode: 1 })
  })

  test("requests insights", async () => {
    const request = JSON.stringify({ card: { number: "4000000000000002" }, extensions: ["capabilities"] })
    const told = await sealway(["payments", "insights", "--json"], { stdin: request })
    expect(told.json()).toMatchObject({ capabilities: { push: { enabled: true } } })
    expect((await sealway(["payments", "insights", "-q"], { stdin: request })).stdout).toMatch(
      /^card_insight_/,
    )
    expect(await sealway(["payments", "insights"], { stdin: "{}" })).toMatchObject({ exitCode: 1 })
    expect(await sealway(["payments", "insights"], { stdin: " ".repeat(65_537) })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("larger than 64 KB"),
    })
  })
})
