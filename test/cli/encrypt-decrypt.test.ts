import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"
import { withFolder } from "../support/start.ts"
import { type CliOptions, run, runAgainst } from "./cli.ts"

const service = useService()
const sealway = (args: readonly string[], options?: CliOptions) => runAgainst(service, args, options)

describe("JSON", () => {
  const document = '{"name": "Ada", "amount": 1.10, "note": null}\n'

  test("comes back from standard input to standard output unchanged", async () => {
    const sealed = await sealway(["encrypt"], { stdin: document })
    expect(sealed).toMatchObject({ exitCode: 0, stderr: "" })
    expect(sealed.json()).toMatchObject({ name: expect.stringMatching(/^ev:debug:/), note: null })
    const opened = await sealway(["decrypt"], { stdin: sealed.stdout })
    expect(opened).toMatchObject({ exitCode: 0, stdout: document, stderr: "" })
  })

  test("is read from a file and written to one that only its owner can read", () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "in.json"), document)
      expect(await sealway(["encrypt", "in.json", "-o", "sealed.json"], { folder })).toMatchObject({
        exitCode: 0,
        stdout: "",
      })
      await sealway(["decrypt", "sealed.json", "--output", "out.json"], { folder })
      expect(await readFile(join(folder, "out.json"), "utf8")).toBe(document)
      expect((await stat(join(folder, "out.json"))).mode & 0o777).toBe(0o600)
      expect((await readdir(folder)).sort()).toEqual(["in.json", "out.json", "sealed.json"])
    }))

  test("is escaped where its values would control a terminal", async () => {
    const hostile = '"\u009b2Jgone\u202e"'
    const sealed = await sealway(["encrypt"], { stdin: hostile })
    const shown = await sealway(["decrypt"], { stdin: sealed.stdout, isTty: true })
    expect(shown.stdout).toBe('"\\u009b2Jgone\\u202e"\n')
  })

  test("is refused with the service's reason and status 1 when it is invalid", async () => {
    const refused = await sealway(["encrypt"], { stdin: '{"secret-name"' })
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" })
    expect(refused.stderr).toMatch(/^sealway: .+\.\n/)
    expect(refused.stderr).not.toContain("secret-name")
  })

  test("is reported as a problem on standard error with --json when it is refused", async () => {
    const refused = await sealway(["encrypt", "--json"], { stdin: "{" })
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: "invalid-request", status: 400 })
  })
})

describe("a string", () => {
  test("is read without quotes and without the line break that echo adds", async () => {
    const sealed = await sealway(["encrypt", "--text"], { stdin: 'two "quoted"\nlines\n' })
    expect(sealed.stdout).toMatch(/^ev:debug:[^"\n]+:\$\n$/)
    const opened = await sealway(["decrypt", "--text"], { stdin: sealed.stdout })
    expect(opened.stdout).toBe('two "quoted"\nlines\n')
  })

  test("can be given on the command line", async () => {
    const sealed = await sealway(["encrypt", "--value", "4242"])
    const opened = await sealway(["decrypt", "--value", sealed.stdout.trim()])
    expect(opened.stdout).toBe("4242\n")
  })

  test.each(["plain", "ev:debug:cut", ""])(
    "is not passed through when it is no token, such as %j: status 1",
    async (text) => {
      const refused = await sealway(["decrypt", "--text"], { stdin: `${text}\n` })
      expect(refused).toMatchObject({ exitCode: 1, stdout: "" })
      expect((await sealway(["decrypt", "--value", text])).exitCode).toBe(1)
      expect((await sealway(["decrypt"], { stdin: JSON.stringify(text) })).exitCode).toBe(0)
    },
  )

  test("comes back as it is written when it holds a number", async () => {
    const sealed = await sealway(["encrypt"], { stdin: "1.10" })
    expect((await sealway(["decrypt", "--text"], { stdin: sealed.json() as string })).stdout).toBe("1.10\n")
  })

  test("is refused with status 2 when it is not UTF-8", async () => {
    const refused = await sealway(["encrypt", "--text"], { stdin: Uint8Array.of(0xff, 0xfe) })
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" })
  })
})

describe("a file", () => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 31) % 256))

  test("comes back byte for byte, without anything added", async () => {
    const sealed = await sealway(["encrypt", "--binary"], { stdin: bytes })
    expect(sealed.stdoutBytes.length).toBe(bytes.length + 75)
    const opened = await sealway(["decrypt", "--binary"], { stdin: sealed.stdoutBytes })
    expect(opened.stdoutBytes.equals(bytes)).toBe(true)
  })

  test("is not written to a terminal unless the command says so", async () => {
    expect(await sealway(["encrypt", "--binary"], { stdin: bytes, isTty: true })).toMatchObject({
      exitCode: 2,
      stdout: "",
    })
    expect(await sealway(["encrypt", "--binary", "-o", "-"], { stdin: bytes, isTty: true })).toMatchObject({
      exitCode: 0,
    })
  })

  test("is refused when it was changed, and leaves no output file behind", () =>
    withFolder(async (folder) => {
      const sealed = await sealway(["encrypt", "--binary"], { stdin: bytes })
      const changed = Buffer.from(sealed.stdoutBytes)
      changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1)
      const refused = await sealway(["decrypt", "--binary", "-o", "out"], { stdin: changed, folder })
      expect(refused.exitCode).toBe(1)
      expect(await readdir(folder)).toEqual([])
    }))

  test("cannot carry a role: status 2", async () => {
    expect((await sealway(["encrypt", "--binary", "--role", "pci"], { stdin: bytes })).exitCode).toBe(2)
  })
})

describe("a data role", () => {
  test("is refused with status 1 when it does not exist, and the place is named", async () => {
    const refused = await sealway(["encrypt", "--role", "nowhere"], { stdin: '"x"' })
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain("/headers/x-service-data-role")
  })

  test("refuses decryption with status 1 when it has no policies", async () => {
    await service.newRole(service.sandbox.app, "closed")
    const sealed = await sealway(["encrypt", "--role", "closed"], { stdin: '"x"' })
    const refused = await sealway(["decrypt", "--json"], { stdin: sealed.stdout })
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" })
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: "decrypt/forbidden" })
  })

  test("that policies show masked only is printed masked with --masked, and refused without", async () => {
    const made = await sealway(["roles", "create", "cards", "--mask", "first-last:8", "--json"])
    expect(made.json()).toMatchObject({ mask: { type: "first-last", first: 8, keepLength: false } })
    const policy = { name: "M", effect: "permit", reveal: "masked", roles: ["cards"], conditions: {} }
    expect((await service.post("/data-policies", policy)).status).toBe(201)
    const sealed = await sealway(["encrypt", "--role", "cards"], { stdin: '{"card":"4242424242424242"}' })
    const masked = await sealway(["decrypt", "--masked"], { stdin: sealed.stdout })
    expect(masked).toMatchObject({ exitCode: 0, stdout: '{"card":"42424242•••4242"}\n' })
    const refused = await sealway(["decrypt", "--json"], { stdin: sealed.stdout })
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" })
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: "decrypt/masked-only" })
    expect((await sealway(["decrypt", "--binary", "--masked"], { stdin: "x" })).exitCode).toBe(2)
  })

  test("loses its mask with --mask none, and keeps it when another field changes", async () => {
    await sealway(["roles", "create", "names", "--mask", "name"])
    const change = async (...options: string[]) =>
      (await sealway(["roles", "update", "names", "--json", ...options])).json()
    expect(await change("--name", "Names")).toMatchObject({ mask: { type: "name" } })
    expect(await change("--mask", "none")).toMatchObject({ mask: null })
    const wrong = await sealway(["roles", "update", "names", "--mask", "last:many"])
    expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining("/mask/count")])
  })

  test("is refused before anything is sent when it is not a slug: status 2", async () => {
    const refused = await run(["encrypt", "--role", "a\r\nx: y"], {
      stdin: '"x"',
      env: { SEALWAY_URL: service.url, SEALWAY_API_KEY: "x" },
    })
    expect(refused.exitCode).toBe(2)
  })
})

describe("credentials", () => {
  test("end with status 3 when they are missing", async () => {
    const refused = await run(["encrypt"], { env: { SEALWAY_URL: service.url } })
    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toContain("SEALWAY_API_KEY")
  })

  test("end with status 3 when they are wrong, and are not repeated", async () => {
    const key = `${service.sandbox.auth.key.slice(0, -1)}_`
    const refused = await sealway(["encrypt"], { stdin: '"x"', env: { SEALWAY_API_KEY: key } })
    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).not.toContain(key)
  })

  test("are refused when they belong to another app than the one named", async () => {
    const refused = await sealway(["encrypt"], {
      stdin: '"x"',
      env: { SEALWAY_APP: service.production.app.id },
    })
    expect(refused.exitCode).toBe(3)
  })

  test("end with status 3 without the scope", async () => {
    const { key } = await service.newKey(service.sandbox.app, [])
    const sealed = await sealway(["encrypt"], { stdin: '"x"', env: { SEALWAY_API_KEY: key } })
    expect(sealed.exitCode).toBe(0)
    const refused = await sealway(["decrypt"], { stdin: sealed.stdout, env: { SEALWAY_API_KEY: key } })
    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toContain("api:decrypt")
  })
})

describe("a service", () => {
  test("ends with status 5 when it does not answer", async () => {
    const refused = await sealway(["encrypt"], { stdin: '"x"', env: { SEALWAY_URL: "http://127.0.0.1:1" } })
    expect(refused).toMatchObject({ exitCode: 5, stdout: "" })
    expect(refused.stderr).toContain("http://127.0.0.1:1")
  })

  test("ends with status 2 when no URL is given", async () => {
    const refused = await run(["encrypt"], { stdin: '"x"', env: { SEALWAY_API_KEY: "x" } })
    expect(refused.exitCode).toBe(2)
  })
})
