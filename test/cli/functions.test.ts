import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
let root = ""
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "sealway-cli-functions-"))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const sealway = (args: readonly string[], options?: CliOptions) =>
  runAgainst(service, ["functions", ...args], {
    folder: root,
    sleep: (ms) => new Promise((done) => setTimeout(done, ms / 10)),
    ...options,
  })

const HANDLER =
  "export const handler = async (payload) => { console.log('charging'); return { seen: payload.card } }\n"

async function folderOf(name: string, files: Record<string, string>): Promise<string> {
  const folder = join(root, name)
  for (const [file, content] of Object.entries(files)) {
    await mkdir(join(folder, file, ".."), { recursive: true })
    await writeFile(join(folder, file), content)
  }
  return folder
}

const tomlOf = (name: string, more = "") =>
  `[function]\nname = "${name}"\nlanguage = "node@24"\nhandler = "index.mjs"\ntimeout = 5\n${more}`

describe("a function", () => {
  test("is created, deployed, listed, run, inspected and deleted", async () => {
    const begun = await sealway(["init", "hello"])
    expect(begun).toMatchObject({ exitCode: 0, stdout: "hello/function.toml\nhello/index.mjs\n" })
    expect((await sealway(["init", "hello"])).exitCode).toBe(2)

    const deployed = await sealway(["deploy", "hello", "--json"])
    expect(deployed.stderr).toBe("")
    expect(deployed.json()).toMatchObject({ name: "hello", status: "ready", activeDeployment: 1 })
    expect((await sealway(["list"])).rows()[0]?.slice(0, 4)).toEqual(["hello", "node@24", "ready", "1"])

    const run = await sealway(["run", "hello"], { stdin: '{"name":"Ada"}' })
    expect(run.exitCode).toBe(0)
    expect(run.json()).toMatchObject({
      status: "success",
      result: { greeting: "Hello Ada", sealed: expect.stringMatching(/^ev:.*:\$$/) },
    })
    expect((await sealway(["delete", "hello"])).exitCode).toBe(0)
    expect((await sealway(["run", "hello"], { stdin: "{}" })).exitCode).toBe(4)
  })

  test("prints the place of an asynchronous run, which delete-run deletes, and logs its lines", async () => {
    await folderOf("charge", { "function.toml": tomlOf("charge"), "index.mjs": HANDLER })
    expect((await sealway(["deploy", "charge"])).exitCode).toBe(0)
    const card = String((await service.post("/encrypt", '"4242"')).json)
    await writeFile(join(root, "payload.json"), JSON.stringify({ card }))
    const location = (await sealway(["run", "charge", "payload.json", "--async"])).stdout.trim()
    await expect
      .poll(async () => (await service.get(location)).json, { timeout: 10_000 })
      .toMatchObject({ status: "success", result: { seen: "4242" } })
    await expect
      .poll(async () => (await sealway(["logs", "charge", "-q", "--since", "1h"])).stdout, {
        timeout: 10_000,
      })
      .toContain("charging")
    // A worker may still be publishing its end.
    const id = location.split("/").at(-1) ?? ""
    await expect.poll(async () => (await sealway(["delete-run", "charge", id])).exitCode).toBe(0)
    expect((await service.get(location)).status).toBe(404)

    const issued = await runAgainst(service, ["run-tokens", "create", "charge", "-q"], {
      stdin: JSON.stringify({ card }),
    })
    const headers = { authorization: `RunToken ${issued.stdout.trim()}` }
    const run = await service.post("/functions/charge/runs", { payload: { card } }, { auth: null, headers })
    expect(run.json).toMatchObject({ status: "success", result: { seen: "4242" } })
  })

  test("has its lines followed: each is printed once, those of later runs too", async () => {
    const index = "export const handler = ({ text }) => { console.log(text); console.log(text) }\n"
    await folderOf("speaks", { "function.toml": tomlOf("speaks"), "index.mjs": index })
    expect((await sealway(["deploy", "speaks"])).exitCode).toBe(0)
    const speak = (text: string) => sealway(["run", "speaks"], { stdin: JSON.stringify({ text }) })
    const printed = async (text: string) =>
      (await sealway(["logs", "speaks", "-q"])).stdout.split("\n").filter((each) => each === text).length
    const spoken = async (text: string) => {
      expect((await speak(text)).exitCode).toBe(0)
      await expect.poll(() => printed(text), { timeout: 10_000 }).toBe(2)
    }
    await spoken("first")
    const end = new AbortController()
    let polls = 0
    const sleep = async () => {
      polls++
      if (polls === 1) await spoken("second")
      if (polls < 4) return
      end.abort(130)
      throw end.signal.reason
    }
    const followed = await sealway(["logs", "speaks", "-q", "--follow"], { sleep, signal: end.signal })
    expect(followed.stdout).toBe("first\nfirst\nsecond\nsecond\n")
    expect(followed.exitCode).toBe(130)
  })

  test("ends its run with status 1 when its code throws", async () => {
    const index = "export const handler = async () => { throw new Error('declined') }\n"
    await folderOf("declines", { "function.toml": tomlOf("declines"), "index.mjs": index })
    expect((await sealway(["deploy", "declines"])).exitCode).toBe(0)
    const run = await sealway(["run", "declines"], { stdin: "{}" })
    expect(run.exitCode).toBe(1)
    expect(run.json()).toMatchObject({ status: "failure", error: { message: "declined" } })
  })

  test("is packed with what is installed into a copy of its folder, and without what does not belong to it", async () => {
    const bin = await folderOf("bin", {
      npm: `#!/bin/sh\n[ "$1" = ci ] || exit 9\nmkdir -p node_modules/dependency\necho 'export const name = "installed"' > node_modules/dependency/index.mjs\n`,
    })
    await chmod(join(bin, "npm"), 0o755)
    const folder = await folderOf("depends", {
      "function.toml": tomlOf("depends"),
      "package-lock.json": "{}",
      "node_modules/dependency/index.mjs": 'export const name = "old"',
      ".env": "SECRET=1",
      ".git/config": "x",
      "lib/debug.log": "x",
      "index.mjs": `import { readdirSync } from "node:fs"
import { name } from "./node_modules/dependency/index.mjs"
export const handler = () => ({ name, files: readdirSync(import.meta.dirname).sort() })
`,
    })
    const env = { PATH: `${bin}:/usr/bin:/bin` }
    const deployed = await sealway(["deploy", "depends"], { env })
    expect(deployed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("npm ci --omit=dev") })
    const run = await sealway(["run", "depends"], { stdin: "{}" })
    expect(run.json()).toMatchObject({
      result: { name: "installed", files: ["__sealway__", "index.mjs", "node_modules", "package-lock.json"] },
    })
    expect(await readFile(join(folder, "node_modules/dependency/index.mjs"), "utf8")).toContain("old")

    await writeFile(join(bin, "npm"), "#!/bin/sh\necho 'no such version' >&2\nexit 3\n")
    const before = (await readdir(tmpdir())).filter((name) => name.startsWith("sealway-function-"))
    const failed = await sealway(["deploy", "depends"], { env })
    expect(failed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("no such version") })
    expect((await readdir(tmpdir())).filter((name) => name.startsWith("sealway-function-"))).toEqual(before)
  })

  test.each([
    ["no function.toml", {}, "function.toml"],
    ["no TOML", { "function.toml": "[function\n" }, "function.toml:1:"],
    ["a table that nobody knows", { "function.toml": `${tomlOf("x")}[other]\n` }, "function.toml is invalid"],
    ["a member that nobody knows", { "function.toml": tomlOf("x", "cpu = 2\n") }, "function: "],
    ["too much time", { "function.toml": tomlOf("x").replace("= 5", "= 901") }, "function.timeout"],
    [
      "a language that nobody knows",
      { "function.toml": tomlOf("x").replace("node@24", "ruby@3") },
      "function.language",
    ],
    ["no handler", { "function.toml": tomlOf("x") }, "index.mjs"],
  ])("is not sent with %s, and the status is 2", async (what, files, message) => {
    const name = `broken-${what.replaceAll(" ", "-")}`
    await folderOf(name, { "other.txt": "x", ...files })
    const refused = await sealway(["deploy", name])
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) })
  })
})

test("prints a run as the service spells it, with every digit of its result", async () => {
  const text = '{"status":"success","result":12345678901234567890.10}'
  const fetch = async () => new Response(text, { headers: { "content-type": "application/json" } })
  const run = await sealway(["run", "hello"], { stdin: "{}", fetch })
  expect(run).toMatchObject({ exitCode: 0, stdout: `${text}\n` })
})
