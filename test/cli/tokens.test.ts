import { beforeAll, describe, expect, test } from "vitest"
import { newAppWithRole } from "../support/policies.ts"
import { useService } from "../support/service.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
const sealway = (args: readonly string[], options?: CliOptions) => runAgainst(service, args, options)
const seal = async (json: string) => String((await service.post("/encrypt", json)).json)

describe.each(["fingerprint", "inspect"])("%s", (name) => {
  test("shows what is known of a token, from standard input or the command line", async () => {
    const token = await seal('"4242424242424242"')
    const told = await sealway([name], { stdin: `${token}\n` })
    expect(told).toMatchObject({ exitCode: 0, stderr: "" })
    const members = Object.fromEntries(told.rows())
    expect(members).toMatchObject({ type: "string", category: "card-number", brand: "visa", role: "-" })
    expect(members).toMatchObject({ bin: "424242", "last four": "4242" })
    const quiet = await sealway([name, "--value", token, "-q"])
    expect(quiet.stdout).toBe(`${members.fingerprint}\n`)
    expect((await sealway([name, "--value", token, "--json"])).json()).toMatchObject({ type: "string" })
  })

  test("refuses anything but a token with status 1", async () => {
    expect(await sealway([name, "--value", "ev:none"])).toMatchObject({ exitCode: 1, stdout: "" })
  })

  test("regards a file and a value together as a usage error", async () => {
    expect((await sealway([name, "file", "--value", "x"])).exitCode).toBe(2)
  })
})

describe("rewrap", () => {
  test("seals a document and a token again, and their values stay the same", async () => {
    const token = await seal('"4242"')
    const rewrapped = await sealway(["rewrap"], { stdin: `{"card": "${token}", "n": 1.10}` })
    expect(rewrapped).toMatchObject({ exitCode: 0, stderr: "" })
    expect(rewrapped.stdout).not.toContain(token)
    const opened = await sealway(["decrypt"], { stdin: rewrapped.stdout })
    expect(opened.stdout).toBe('{"card": "4242", "n": 1.10}\n')
    const one = await sealway(["rewrap", "--text"], { stdin: `${token}\n` })
    expect((await sealway(["decrypt", "--text"], { stdin: one.stdout })).stdout).toBe("4242\n")
  })

  test("seals a file again, byte for byte the same inside", async () => {
    const bytes = Buffer.from([0, 255, 10, 13])
    const sealed = await sealway(["encrypt", "--binary"], { stdin: bytes })
    const rewrapped = await sealway(["rewrap", "--binary"], { stdin: sealed.stdoutBytes })
    expect(rewrapped.stdoutBytes.equals(sealed.stdoutBytes)).toBe(false)
    const opened = await sealway(["decrypt", "--binary"], { stdin: rewrapped.stdoutBytes })
    expect(opened.stdoutBytes.equals(bytes)).toBe(true)
  })
})

describe("client-tokens create", () => {
  test("issues a token that decrypts the document and no other", async () => {
    const payload = `{"card": "${await seal('"4242"')}", "amount": 1.10}`
    const issued = await sealway(["client-tokens", "create", "-q"], { stdin: payload })
    expect(issued).toMatchObject({ exitCode: 0, stderr: "" })
    const headers = { authorization: `Token ${issued.stdout.trim()}` }
    const opened = await service.post("/decrypt", payload, { auth: null, headers })
    expect(opened.text).toBe('{"card": "4242", "amount": 1.10}')
    expect((await service.post("/decrypt", "{}", { auth: null, headers })).status).toBe(403)
  })

  test("sends numbers as they are written, so that the service refuses those that lose digits", async () => {
    const stdin = '{"big": 12345678901234567890}'
    expect(await sealway(["client-tokens", "create"], { stdin })).toMatchObject({ exitCode: 1, stdout: "" })
  })

  test("accepts a lifetime, which the service limits", async () => {
    const now = Date.UTC(2030, 0, 1)
    const wallClock = () => now
    const args = ["client-tokens", "create", "--expires"]
    expect((await sealway([...args, "10m"], { stdin: "{}", wallClock })).exitCode).toBe(1)
    const issued = await sealway([...args, "2m", "--json"], { stdin: "{}" })
    const { expiry, createdAt } = issued.json() as { expiry: number; createdAt: number }
    expect(expiry - createdAt).toBeLessThanOrEqual(120_000)
    expect(expiry - createdAt).toBeGreaterThan(60_000)
  })

  test.each(["[1]", '"text"', "true"])("issues a token for the document %s", async (stdin) => {
    const issued = await sealway(["client-tokens", "create", "-q"], { stdin })
    const headers = { authorization: `Token ${issued.stdout.trim()}` }
    expect((await service.post("/decrypt", stdin, { auth: null, headers })).text).toBe(stdin)
  })

  test.each(["null", "{", '{},"action":"x"', ""])(
    "refuses the payload %j before anything is sent: status 2",
    async (stdin) => {
      const fetch = () => Promise.reject(new Error("Something was sent"))
      const refused = await sealway(["client-tokens", "create"], { stdin, fetch })
      expect(refused).toMatchObject({ exitCode: 2, stdout: "" })
    },
  )
})

describe("run-tokens create", () => {
  test("ends with status 4 when the function does not exist", async () => {
    expect((await sealway(["run-tokens", "create", "nowhere"], { stdin: "{}" })).exitCode).toBe(4)
  })
})

describe("callback-secret", () => {
  let key = ""
  beforeAll(async () => {
    ;({ key } = (await newAppWithRole(service)).auth)
  })

  test("prints the app's secret, which is the same each time and another one for another app", async () => {
    const { stdout } = await sealway(["callback-secret"])
    expect(stdout).toMatch(/^whsec_[A-Za-z0-9+/=]+\n$/)
    expect((await sealway(["callback-secret", "--json"])).json()).toEqual({ secret: stdout.trim() })
    const other = await sealway(["callback-secret"], { env: { SEALWAY_APP: "", SEALWAY_API_KEY: key } })
    expect(other.stdout).toMatch(/^whsec_/)
    expect(other.stdout).not.toBe(stdout)
  })
})
