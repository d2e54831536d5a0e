import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { useService } from "../support/service.ts"
import { withFolder } from "../support/start.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
const sealway = (args: readonly string[], options?: CliOptions) => runAgainst(service, args, options)
const TOKEN = /^ev:debug:[^"\s,]+:\$$/

/** Makes a table of as many rows, each with an id, a card and a note. */
function csvOf(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => `${index + 1},4242${index},"note, ${index}"\r\n`)
  return `id,card,note\r\n${lines.join("")}`
}

describe("CSV", () => {
  test("comes back byte for byte, and only the named columns are encrypted", async () => {
    const table = '\ufeff"id",card,näme\r\n1,4242424242424242,"Ada ""L"", x"\r\n2,,é\n3,"a, ""b""\n😀",z'
    const sealed = await sealway(["encrypt", "--columns", "card"], { stdin: table })
    expect(sealed).toMatchObject({ exitCode: 0 })
    expect(sealed.stdout).toMatch(
      /^\ufeff"id",card,näme\r\n1,ev:debug:[^,]+:\$,"Ada ""L"", x"\r\n2,,é\n3,"ev:debug:[^,]+:\$",z$/,
    )
    const opened = await sealway(["decrypt", "--columns", "card"], { stdin: sealed.stdout })
    expect(opened).toMatchObject({ exitCode: 0, stdout: table })
  })

  test("keeps many rows in order, in files that only their owner can read", () =>
    withFolder(async (folder) => {
      const table = csvOf(3_000)
      await writeFile(join(folder, "in.csv"), table)
      const args = ["--columns", "card,note", "--batch-rows", "70", "-o"]
      const sealed = await sealway(["encrypt", "in.csv", ...args, "sealed.csv"], { folder })
      expect(sealed).toMatchObject({ exitCode: 0, stdout: "", stderr: "3,000 rows\n" })
      expect((await stat(join(folder, "sealed.csv"))).mode & 0o777).toBe(0o600)
      const opened = await sealway(["decrypt", "sealed.csv", ...args, "out.csv"], { folder })
      expect(opened.exitCode).toBe(0)
      expect(await readFile(join(folder, "out.csv"), "utf8")).toBe(table)
      expect((await readdir(folder)).sort()).toEqual(["in.csv", "out.csv", "sealed.csv"])
    }))

  test("comes back when it has only a header, and is refused without one", async () => {
    expect(await sealway(["encrypt", "--columns", "a"], { stdin: "a,b\n" })).toMatchObject({
      exitCode: 0,
      stdout: "a,b\n",
    })
    expect(await sealway(["encrypt", "--columns", "a"], { stdin: "" })).toMatchObject({
      exitCode: 2,
      stdout: "",
    })
  })

  test("is refused without the column, and its columns are listed", async () => {
    const refused = await sealway(["encrypt", "--columns", "card,pin"], { stdin: "id,card,name\n1,2,3\n" })
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" })
    expect(refused.stderr).toContain("pin")
    expect(refused.stderr).toContain("id, card, name")
  })

  test("does not show a first line that is not a header", async () => {
    const refused = await sealway(["encrypt", "--columns", "card"], { stdin: "1,4242424242424242,ada@x.y\n" })
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).not.toMatch(/4242|ada@/)
  })

  test("may have another delimiter, and names with commas in quotes", async () => {
    const stdin = 'id;"card, old";x\n1;2;3\n'
    const args = ["--columns", '"card, old"', "--delimiter", ";"]
    const sealed = await sealway(["encrypt", ...args], { stdin })
    expect(sealed.stdout).toMatch(/^id;"card, old";x\n1;ev:debug:[^;]+:\$;3\n$/)
    expect((await sealway(["decrypt", ...args], { stdin: sealed.stdout })).stdout).toBe(stdin)
  })

  test("is refused in UTF-16 with what to do", async () => {
    const stdin = Buffer.from("\ufeffid,card\n1,2\n", "utf16le")
    const refused = await sealway(["encrypt", "--columns", "card"], { stdin })
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain("UTF-8")
  })

  test("ends with status 2, the row's number, and the rows before it, when a quote is never closed", () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "in.csv"), 'id,card\n1,a\n2,"secret-card\n3,c\n')
      const ended = await sealway(["encrypt", "in.csv", "--columns", "card", "-o", "out.csv"], { folder })
      expect(ended).toMatchObject({ exitCode: 2, stdout: "" })
      expect(ended.stderr).toContain("Row 2 of in.csv")
      expect(ended.stderr).not.toContain("secret-card")
      expect(await readFile(join(folder, "out.csv.part"), "utf8")).toMatch(/^id,card\n1,ev:debug:[^,]+:\$\n$/)
    }))
})

describe("NDJSON", () => {
  test("comes back byte for byte, numbers digit for digit, and only selected values are encrypted", async () => {
    const table = [
      '{"id":12345678901234567890, "card":{"n":1e400,"old":[4.10,true,null,"é"]}}\r',
      "",
      '{"id":1.0,"card":{"n":9007199254740993}}',
      ' {"other":"x"} ',
    ].join("\n")
    const fields = ["--fields", "$.card.n", "--fields", "$.card.old"]
    const sealed = await sealway(["encrypt", ...fields], { stdin: table })
    expect(sealed.exitCode).toBe(0)
    const [first = ""] = sealed.stdout.split("\n")
    expect(JSON.parse(first)).toMatchObject({
      card: {
        n: expect.stringMatching(TOKEN),
        old: [expect.stringMatching(TOKEN), expect.anything(), null, expect.anything()],
      },
    })
    expect(first).toContain('{"id":12345678901234567890, "card":{"n":"ev:')
    const opened = await sealway(["decrypt", "--fields", "$"], { stdin: sealed.stdout })
    expect(opened).toMatchObject({ exitCode: 0, stdout: table })
  })

  test("stays empty when it is empty", async () => {
    expect(await sealway(["encrypt", "--fields", "$"], { stdin: "" })).toMatchObject({
      exitCode: 0,
      stdout: "",
    })
  })

  test("ends with status 1 when nothing is selected: plaintext would pass for encrypted", async () => {
    const ended = await sealway(["encrypt", "--fields", "$.card", "--fields", "$.crad"], {
      stdin: '{"card":1}\n',
    })
    expect(ended.exitCode).toBe(1)
    expect(ended.stderr).toContain("$.crad")
    expect(ended.stderr).not.toContain("$.card.")
  })

  test("is refused with status 2 when the path is invalid", async () => {
    const refused = await sealway(["encrypt", "--fields", "card"], { stdin: '{"card":1}\n' })
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" })
  })
})

describe("rows that fail", () => {
  test("are left out and written next to the output, with number, place and code and without a value", () =>
    withFolder(async (folder) => {
      const other = await service.newApp("sandbox")
      const foreign = await service.post("/encrypt", '"marker-foreign"', { auth: other.auth })
      const own = await service.post("/encrypt", '"marker-own"')
      const rows = Array.from({ length: 200 }, (_, index) => `${index + 1},${own.json}`)
      rows[20] = `21,${foreign.json}`
      rows[60] = "61,ev:debug:marker-cut"
      rows[99] = "100,marker-plain"
      rows[150] = "151,too,many"
      rows[199] = `200,${foreign.json}`
      await writeFile(join(folder, "in.csv"), `id,card\n${rows.join("\n")}\n`)
      const args = ["decrypt", "in.csv", "--columns", "card", "-o", "out.csv"]
      const ended = await sealway(args, { folder })
      expect(ended).toMatchObject({ exitCode: 1, stdout: "" })
      expect(ended.stderr).toContain("4 failed")
      expect(ended.stderr).toContain("out.failed.csv")
      const failures = await readFile(join(folder, "out.failed.csv"), "utf8")
      expect(failures.split("\n").map((line) => line.split(",").slice(0, 3))).toEqual([
        ["row", "column", "code"],
        ["21", "card", "invalid-request"],
        ["61", "card", "broken-token"],
        ["151", "", "malformed-row"],
        ["200", "card", "invalid-request"],
        [""],
      ])
      expect(failures).not.toMatch(/marker|ev:debug/)
      const lines = (await readFile(join(folder, "out.csv"), "utf8")).split("\n")
      expect(lines).toHaveLength(1 + 196 + 1)
      expect(lines[1]).toBe("1,marker-own")
      expect(lines).toContain("100,marker-plain")
      expect(await readdir(folder)).not.toContain("out.csv.journal")

      const again = await sealway([...args.slice(0, 2), "--columns", "id", "-o", "out.csv"], { folder })
      expect(again.exitCode).toBe(1)
      expect(await readFile(join(folder, "out.failed.csv"), "utf8")).not.toContain("21,")
    }))

  test("are reported as NDJSON in NDJSON, on standard error where there is no output file", async () => {
    const ended = await sealway(["encrypt", "--fields", "$.a"], {
      stdin: '{"a":1}\n{"a":"\\ud800"}\n{"a":\n{"a":2}\n',
    })
    expect(ended.exitCode).toBe(1)
    expect(ended.rows()).toHaveLength(2)
    const told = ended.stderr
      .split("\n")
      .slice(0, 2)
      .map((line) => JSON.parse(line))
    expect(told).toMatchObject([
      { row: 2, field: "$.a", code: "invalid-request" },
      { row: 3, code: "invalid-json" },
    ])
  })

  test("because of their role do not affect rows of other roles", async () => {
    await service.newRole(service.sandbox.app, "shut")
    const stdin = "card\n1\n2\n3\n"
    const shut = await sealway(["encrypt", "--columns", "card", "--role", "shut"], { stdin })
    const open = await sealway(["encrypt", "--columns", "card"], { stdin })
    const mixed = [...shut.stdout.trim().split("\n"), ...open.stdout.trim().split("\n").slice(1)].join("\n")
    const ended = await sealway(["decrypt", "--columns", "card"], { stdin: mixed })
    expect(ended).toMatchObject({ exitCode: 1, stdout: "card\n1\n2\n3" })
    expect(ended.stderr.match(/decrypt\/forbidden/g)).toHaveLength(3)
  })

  test("fail alone when a value is larger than a document; one of the largest size does not fail", () =>
    withFolder(async (folder) => {
      const largest = "x".repeat(5 * 1024 * 1024 - 4)
      await writeFile(
        join(folder, "in.csv"),
        `id,a,b\n1,small,y\n2,${largest},${largest}\n3,${largest}xxx,y\n4,small,y\n`,
      )
      const ended = await sealway(["encrypt", "in.csv", "--columns", "a,b", "-o", "out.csv"], { folder })
      expect(ended.exitCode).toBe(1)
      const failures = await readFile(join(folder, "out.failed.csv"), "utf8")
      expect(failures).toMatch(/^row,column,code,reason\n3,a,payload-too-large,[^\n]+\n$/)
      const opened = await sealway(["decrypt", "out.csv", "--columns", "a,b", "-o", "opened.csv"], { folder })
      expect(opened.exitCode).toBe(0)
      expect(await readFile(join(folder, "opened.csv"), "utf8")).toBe(
        `id,a,b\n1,small,y\n2,${largest},${largest}\n4,small,y\n`,
      )
    }))

  test("end the run when a thousand fail in a row, and are tried again by the next", () =>
    withFolder(async (folder) => {
      const good = await sealway(["encrypt", "--columns", "card"], { stdin: csvOf(50) })
      await writeFile(join(folder, "in.csv"), good.stdout + "too,many,cells,here\n".repeat(1_000))
      const args = ["decrypt", "in.csv", "--columns", "card", "-o", "out.csv"]
      const ended = await sealway(args, { folder })
      expect(ended.exitCode).toBe(1)
      expect(ended.stderr).toContain("--keep-going")
      expect(ended.stderr).toMatch(/^ {2}Row 1,050: malformed-row: /m)
      expect(ended.stderr).toContain("Stopped after 50 rows")
      const on = await sealway([...args, "--keep-going"], { folder })
      expect(on.exitCode).toBe(1)
      expect(on.stderr).toContain("Resuming after 50 rows")
      expect(await readFile(join(folder, "out.csv"), "utf8")).toBe(csvOf(50))
      expect((await readFile(join(folder, "out.failed.csv"), "utf8")).trim().split("\n")).toHaveLength(1_001)
    }))
})

describe("the values of a table", () => {
  test("stay when they are tokens already, and open to the same after a rewrap", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const env = { SEALWAY_APP: app.id, SEALWAY_API_KEY: auth.key }
    const half = await sealway(["encrypt", "--columns", "card"], { stdin: "card,x\nfirst,1\n", env })
    const mixed = `${half.stdout}second,2\n`
    const sealed = await sealway(["encrypt", "--columns", "card"], { stdin: mixed, env })
    expect(sealed.stdout.split("\n")[1]).toBe(half.stdout.split("\n")[1])
    const rewrapped = await sealway(["rewrap", "--columns", "card"], { stdin: sealed.stdout, env })
    expect(rewrapped.exitCode).toBe(0)
    expect(rewrapped.stdout).not.toBe(sealed.stdout)
    const opened = await sealway(["decrypt", "--columns", "card"], { stdin: rewrapped.stdout, env })
    expect(opened.stdout).toBe("card,x\nfirst,1\nsecond,2\n")
  })

  test("are replaced by fingerprints, the same for the same value", async () => {
    const sealed = await sealway(["encrypt", "--columns", "card"], {
      stdin: `id,card\n${Array.from({ length: 40 }, (_, index) => `${index},${index % 2}\n`).join("")}`,
    })
    const printed = await sealway(["fingerprint", "--columns", "card"], {
      stdin: `${sealed.stdout}40,plain\n`,
    })
    expect(printed.exitCode).toBe(1)
    expect(printed.stderr).toMatch(/^row,column,code,reason\n41,card,invalid-request,/)
    const prints = printed
      .rows()
      .slice(1)
      .map(([line = ""]) => line.split(",")[1])
    expect(prints).toHaveLength(40)
    expect(new Set(prints).size).toBe(2)
    expect(prints[0]).toMatch(/^[\w-]{43}$/)
    expect(prints[38]).toBe(prints[0])
  })

  test("all carry the given role", async () => {
    await service.newRole(service.sandbox.app, "pan")
    const sealed = await sealway(["encrypt", "--columns", "card", "--role", "pan"], { stdin: "card\n1\n" })
    const token = sealed.stdout.trim().split("\n")[1]
    const { json } = await service.post("/fingerprint", { token })
    expect(json).toMatchObject({ role: "pan" })
    const refused = await sealway(["encrypt", "--columns", "card", "--role", "none"], {
      stdin: "card\n1\n2\n",
    })
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain("/headers/x-service-data-role")
  })
})

describe("the command line", () => {
  test.each([
    [["encrypt", "--columns", "a", "--fields", "$"]],
    [["encrypt", "--columns", "a", "--text"]],
    [["encrypt", "--fields", "$", "--delimiter", ";"]],
    [["encrypt", "--columns", "a", "--concurrency", "0"]],
    [["encrypt", "--columns", "a", "--concurrency", "65"]],
    [["encrypt", "--columns", "a", "--batch-rows", "x"]],
    [["encrypt", "--columns", "a", "--delimiter", '"']],
    [["encrypt", "--columns", "a", "--delimiter", ",,"]],
    [["encrypt", "--restart"]],
    [["encrypt", "--columns", ""]],
    [["fingerprint", "-o", "x"]],
    [["fingerprint", "--columns", "a", "--value", "x"]],
  ])("refuses %j with status 2", async (args) => {
    expect(await sealway(args, { stdin: "a\n1\n" })).toMatchObject({ exitCode: 2, stdout: "" })
  })

  test("refuses to overwrite its input, by any name", () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "in.csv"), "a\n1\n")
      await symlink("in.csv", join(folder, "link.csv"))
      for (const output of ["in.csv", "./in.csv", "link.csv"]) {
        const refused = await sealway(["encrypt", "in.csv", "--columns", "a", "-o", output], { folder })
        expect(refused.exitCode).toBe(2)
      }
      expect(await readFile(join(folder, "in.csv"), "utf8")).toBe("a\n1\n")
    }))

  test.each(["out.failed.csv", "out.csv.part", "out.csv.journal", "out.csv.journal.tmp"])(
    "refuses to read %s, which it would delete, with status 2",
    (input) =>
      withFolder(async (folder) => {
        await writeFile(join(folder, input), "a\n1\n")
        const args = ["encrypt", input, "--columns", "a", "-o", "out.csv", "--restart"]
        expect(await sealway(args, { folder })).toMatchObject({ exitCode: 2, stdout: "" })
        expect(await readFile(join(folder, input), "utf8")).toBe("a\n1\n")
      }),
  )

  test("reports the number of rows with --json", () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "in.csv"), "a,b\n1,2\n3\n")
      const ended = await sealway(["encrypt", "in.csv", "--columns", "a", "-o", "out.csv", "--json"], {
        folder,
      })
      expect(ended.exitCode).toBe(1)
      expect(ended.json()).toMatchObject({ rows: 2, failedRows: 1, failures: "out.failed.csv" })
    }))

  test("escapes decrypted values that would control a terminal", async () => {
    const sealed = await sealway(["encrypt", "--columns", "a"], { stdin: "a\n\u001b[2J\u202ex\n" })
    const shown = await sealway(["decrypt", "--columns", "a"], { stdin: sealed.stdout, isTty: true })
    expect(shown.stdout).toBe("a\n\ufffd[2J\ufffdx\n")
  })

  test("shows progress on a terminal", async () => {
    const ended = await sealway(["encrypt", "--columns", "card"], { stdin: csvOf(10), isTty: true })
    expect(ended.stderr).toContain("\r\u001b[K10 rows")
  })
})

describe("a refused key", () => {
  test("ends with status 3 after one request, and leaves nothing behind", () =>
    withFolder(async (folder) => {
      await mkdir(join(folder, "x"))
      await writeFile(join(folder, "x", "in.csv"), csvOf(5_000))
      const { key } = await service.newKey(service.sandbox.app, [])
      const args = ["decrypt", "x/in.csv", "--columns", "card", "-o", "x/out.csv"]
      const ended = await sealway(args, { folder, env: { SEALWAY_API_KEY: key } })
      expect(ended.exitCode).toBe(3)
      expect(ended.stderr).toContain("api:decrypt")
      expect(await readdir(join(folder, "x"))).toEqual(["in.csv"])
    }))
})

describe("a busy service", () => {
  test("is asked again, and all rows come through once", async () => {
    let requests = 0
    const statuses = [0, 503, 429, 0, 503, 503, 503, 503, 503, 0]
    const proxy = createServer((request, response) => {
      const status = statuses[requests++ % statuses.length] ?? 0
      const chunks: Buffer[] = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", async () => {
        if (status !== 0) {
          response.writeHead(status, { "retry-after": "1" }).end("busy")
          return
        }
        const { authorization = "" } = request.headers
        const answer = await fetch(service.url + request.url, {
          method: "POST",
          body: Buffer.concat(chunks),
          headers: { authorization, "content-type": "application/json" },
        })
        response
          .writeHead(answer.status, { "content-type": "application/json" })
          .end(Buffer.from(await answer.arrayBuffer()))
      })
    })
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void proxy.close())
    const address = proxy.address()
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
    const sealed = await sealway(["encrypt", "--columns", "card", "--batch-rows", "10"], {
      stdin: csvOf(500),
      env: { SEALWAY_URL: url },
    })
    expect(sealed.exitCode).toBe(0)
    expect((await sealway(["decrypt", "--columns", "card"], { stdin: sealed.stdout })).stdout).toBe(
      csvOf(500),
    )
  })
})
