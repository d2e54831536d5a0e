import { execFile } from "node:child_process"
import { glob, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { env, execPath } from "node:process"
import { promisify } from "node:util"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { environmentOf } from "@sealway/local/testing"
import { build } from "esbuild"
import { publint } from "publint"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { buildSdk } from "../../scripts/sdk/build-sdk.ts"
import { useService } from "../support/service.ts"
import { ROOT } from "../support/start.ts"
import { moduleOf, readSnippets } from "./snippets.ts"

const run = promisify(execFile)
const ADDRESSES = { relayUrl: "", proxyUrl: "", strictProxyUrl: "", caUrl: "" }
const service = useService()
let folder: string
let sdk: string

const packedSchema = z.tuple([
  z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })), size: z.number() }),
])
let packed: z.infer<typeof packedSchema>[0]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealway-sdk-"))
  sdk = join(folder, "node_modules/@sealway/sdk")
  await buildSdk(sdk)
  const npm = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, sdk]
  packed = packedSchema.parse(JSON.parse((await run("npm", npm, { cwd: folder })).stdout))[0]
}, 60_000)
afterAll(() => rm(folder, { recursive: true }))

/** The pages of docs/, and the READMEs. */
async function pagesWithSnippets(): Promise<readonly string[]> {
  const pages = await Array.fromAsync(
    glob(["docs/*.md", "README.md", "{packages,examples}/**/README.md"], {
      cwd: ROOT,
      exclude: ["**/{node_modules,dist}/**"],
    }),
  )
  return pages.sort()
}

const read = (path: string) => readFile(join(sdk, path), "utf8")
const filesOf = (kind: string) => packed.files.map(({ path }) => path).filter((path) => path.startsWith(kind))

describe("the package that is published", () => {
  test("has JavaScript, types, the README and the licence, and no source, test or secret", () => {
    const others = packed.files.map(({ path }) => path).filter((path) => !path.startsWith("dist/"))
    expect(others.sort()).toEqual(["LICENSE", "README.md", "package.json"])
    for (const path of filesOf("dist/")) {
      expect(path).toMatch(/^dist\/(node|web)\/[\w-]+\.js$|^dist\/types\/.*\.d\.ts$/)
      expect(path).not.toMatch(/\.test\.|\/testing\/|env/)
    }
  })

  test("depends on nothing, and says so", async () => {
    const manifest = JSON.parse(await read("package.json"))
    expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(["dependencies", "scripts", "private"]))
    for (const path of filesOf("dist/")) {
      const imported = [...(await read(path)).matchAll(/(?:from |import\()"([^".][^"]*)"/g)].map(
        ([, name]) => name,
      )
      const foreign = [...new Set(imported.filter((name) => !name?.startsWith("node:")))]
      // Only who imports it needs React.
      const isReact = /\/react(\.js$|\/)/.test(path)
      expect({ path, foreign }).toEqual({
        path,
        foreign: isReact ? foreign.filter((name) => name === "react") : [],
      })
    }
  })

  test("uses nothing of Node.js in the build for browsers and workers", async () => {
    for (const path of filesOf("dist/web/")) {
      expect(await read(path), path).not.toMatch(/node:|\bBuffer\.|\bprocess\.|\brequire\(|setImmediate/)
    }
  })

  test("gives each runtime its build", async () => {
    const { exports } = z
      .object({ exports: z.record(z.string(), z.unknown()) })
      .parse(JSON.parse(await read("package.json")))
    const byRuntime = (name: string, types = name) => ({
      types: `./dist/types/${types}.d.ts`,
      browser: `./dist/web/${name}.js`,
      workerd: `./dist/web/${name}.js`,
      deno: `./dist/node/${name}.js`,
      bun: `./dist/node/${name}.js`,
      node: `./dist/node/${name}.js`,
      default: `./dist/web/${name}.js`,
    })
    expect(exports["."]).toEqual(byRuntime("index"))
    expect(exports["./browser"]).toEqual(byRuntime("browser"))
    expect(exports["./api"]).toEqual(byRuntime("api", "api/generated/index"))
  })

  test("has one class for each error, wherever it is imported from", async () => {
    const program = join(folder, "one-class.mjs")
    await writeFile(
      program,
      `
      import * as all from "@sealway/sdk"
      import * as browser from "@sealway/sdk/browser"
      import * as api from "@sealway/sdk/api"
      const errors = Object.keys(all).filter((name) => name.endsWith("Error"))
      const same = (other) => errors.filter((name) => other[name] === all[name]).sort()
      console.log(JSON.stringify([same(browser), same(api)]))
      `,
    )
    const common = ["ApiError", "AuthenticationError", "ConflictError", "ConnectionError"]
    const ofCalls = [...common, "PermissionError", "RateLimitError", "SealwayError", "UnavailableError"]
    const ofApi = [...ofCalls, "InvalidIdError"].sort()
    for (const conditions of [[], ["--conditions=browser"]]) {
      const { stdout } = await run(execPath, [...conditions, program])
      expect(JSON.parse(stdout)).toEqual([ofCalls, ofApi])
    }
  })

  test("exports each error that its documentation names", async () => {
    const exported = new Set(["Error", "TypeError", "RangeError"])
    for (const name of ["index", "browser", "fields/index", "api/generated/index", "node"]) {
      const text = await read(`dist/types/${name}.d.ts`)
      for (const [word] of text.matchAll(/\b\w+Error\b/g)) exported.add(word)
    }
    const thrown = new Set<string>()
    for (const path of filesOf("dist/types/")) {
      for (const [, name = ""] of (await read(path)).matchAll(/@throws (?:an? )?(\w+)/g)) thrown.add(name)
    }
    expect([...thrown].filter((name) => /Error$/.test(name)).length).toBeGreaterThan(5)
    expect([...thrown].filter((name) => name !== "the" && !exported.has(name))).toEqual([])
  })

  describe.each(["browser", "node"] as const)("bundled for %s", (platform) => {
    const bundlers = {
      async esbuild(program: string) {
        const options = { bundle: true, minify: true, format: "esm", platform, write: false } as const
        const { outputFiles } = await build({ ...options, stdin: { contents: program, resolveDir: folder } })
        return outputFiles.map(({ text }) => text).join()
      },
      async rolldown(program: string) {
        const input = join(folder, `bundled-${platform}.mjs`)
        await writeFile(input, program)
        const bundle = await rolldown({ input, platform })
        const { output } = await bundle.generate({ minify: true })
        return output.map((each) => (each.type === "chunk" ? each.code : "")).join()
      },
    }

    test.each([
      ["esbuild", "verifyWebhook", 4_000],
      ["esbuild", "ApiError", 1_000],
      ["rolldown", "verifyWebhook", 4_000],
      ["rolldown", "ApiError", 1_000],
    ] as const)("by %s, { %s } alone takes at most %d bytes", async (bundler, name, maxBytes) => {
      const text = await bundlers[bundler](`export { ${name} } from "@sealway/sdk"`)
      expect(text.length).toBeGreaterThan(100)
      expect(text.length).toBeLessThanOrEqual(maxBytes)
    })
  })

  test("has no fault that publint knows", async () => {
    const { messages } = await publint({ pkgDir: sdk, strict: true, pack: false })
    // Whoever publishes names the repository.
    expect(messages.filter(({ code }) => code !== "USE_TYPE")).toEqual([])
  })

  test("has types that every resolution of TypeScript finds: node10, node16, bundler", async () => {
    const tarball = await readFile(join(folder, packed.filename))
    const checked = await checkPackage(createPackageFromTarballData(tarball))
    if (!checked.types) throw new Error("The package has no types")
    // CommonJS can `require` ES modules from the version in `engines` on.
    expect(checked.problems.filter(({ kind }) => kind !== "CJSResolvesToESM")).toEqual([])
  }, 20_000)

  test("is loaded by CommonJS in the versions that it says it needs", async () => {
    const program = join(folder, "common.cjs")
    await writeFile(program, 'console.log(typeof require("@sealway/sdk").Sealway)')
    expect((await run(execPath, [program])).stdout).toBe("function\n")
    expect(JSON.parse(await read("package.json"))).toMatchObject({
      engines: { node: "^20.19.0 || >=22.12.0" },
    })
  })
})

describe("its types", () => {
  /** Compiles a program that uses the package. @returns what the compiler says */
  async function compile(program: string, options: object): Promise<string> {
    const place = await mkdtemp(join(folder, "types-"))
    await writeFile(join(place, "program.ts"), program)
    return compileFiles(place, ["program.ts"], options)
  }

  async function compileFiles(place: string, files: readonly string[], options: object): Promise<string> {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "es2024",
      module: "nodenext",
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
      types: [],
      ...options,
    }
    await writeFile(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
    await writeFile(join(place, "package.json"), '{"type":"module"}')
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc")
    const compiled = run(execPath, [compiler, "-p", place])
    return compiled.then(
      ({ stdout }) => stdout,
      ({ stdout }) => String(stdout),
    )
  }

  const PROGRAM = `
    import { ApiError, Sealway, SealwayTeam } from "@sealway/sdk"
    import { SealwayBrowser } from "@sealway/sdk/browser"
    import { createDataRole, createTransport, type DataRole } from "@sealway/sdk/api"

    const sealway = new Sealway({ appId: "app", apiKey: "key", baseUrl: "https://api.example.com" })
    const sealed: { name: string; age: string; tags: string[]; nothing: null } = await sealway.encrypt(
      { name: "Ada", age: 36, tags: ["a"], nothing: null }, "pci",
    )
    const opened: { name: string } = await sealway.decrypt<{ name: string }>(sealed)
    const file: Blob = await sealway.decrypt(new Blob([]))
    const bytes: Uint8Array = await sealway.decrypt(new Uint8Array())
    for await (const role of sealway.api.listDataRoles({ limit: 5 })) role satisfies DataRole
    const run = await sealway.functions.run("charge", {}, { async: true })
    const id: string = run.runId
    const { status } = await sealway.functions.run("charge", {})
    status satisfies "success" | "failure"
    const kept = await sealway.functions.getRun("charge", id)
    if (kept.status === "failure") kept.error.message satisfies string
    if (kept.status === "scheduled") kept.completedAt satisfies null
    const session = await sealway.payments.get3dsSession({ sessionId: "tds_1" })
    if (session.status === "success") session.eci.liabilityShift satisfies boolean
    if (session.status === "failure") session.failureReason satisfies string
    const stored = await sealway.api.getFile({ fileId: "file_1" })
    if (stored.status === "uploading") stored.upload.parts satisfies number
    try {} catch (error) { if (error instanceof ApiError && error.code === "decrypt/forbidden") error.pointer satisfies string | null }
    const browser = new SealwayBrowser({ teamId: "team", appId: "app", baseUrl: "https://api.example.com" })
    const card: string = await browser.encrypt("4242")
    const transport = createTransport({ baseUrl: "https://api.example.com", authorization: () => null })
    await createDataRole(transport, { body: { slug: "a", name: "b" } }, { signal: AbortSignal.timeout(5) })
    const app = await new SealwayTeam({ teamId: "t", teamKey: "k", baseUrl: "" }).api.createApp({ body: { name: "a", environment: "sandbox" } })
    app.id satisfies string
    export { bytes, card, file, id, opened }
  `

  test.each([
    [
      "browsers, with a bundler's resolution",
      { lib: ["es2024", "dom", "dom.iterable"], module: "esnext", moduleResolution: "bundler" },
    ],
    ["Node.js", { lib: ["es2024"], types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] }],
  ])("are those that the README promises in %s", async (_, options) => {
    expect(await compile(PROGRAM, options)).toBe("")
  })

  test("fit every snippet of the pages, as strict TypeScript", async () => {
    const place = await mkdtemp(join(folder, "snippets-"))
    await symlink(join(ROOT, "node_modules/@types"), join(folder, "node_modules/@types"))
    const snippets = await readSnippets(await pagesWithSnippets())
    expect(snippets.length).toBeGreaterThan(20)
    const files: string[] = []
    for (const [index, snippet] of snippets.entries()) {
      const module = moduleOf(snippet)
      if (module === null) continue
      // The compiler names the file, and so the page, in what it says.
      const path = `${index}-${snippet.place.replaceAll(/[/:]/g, "-")}/${module.name}`
      await mkdir(join(place, path, ".."))
      await writeFile(join(place, path), module.text)
      files.push(path)
    }
    const options = {
      lib: ["es2024", "dom", "dom.iterable"],
      types: ["node", "react"],
      jsx: "react-jsx",
      skipLibCheck: true,
      allowJs: true,
      checkJs: true,
    }
    expect(await compileFiles(place, files, options)).toBe("")
  })

  test("refuse wrong arguments", async () => {
    const wrong = `
      import { Sealway } from "@sealway/sdk"
      const sealway = new Sealway({ appId: "app", apiKey: "key", baseUrl: "https://api.example.com" })
      await sealway.api.createDataRole({ body: { slug: "a" } })
      await sealway.api.getDataRole({})
      await sealway.api.createApp({ body: { name: "a", environment: "sandbox" } })
      const age: number = (await sealway.encrypt({ age: 36 })).age
      new Sealway({ appId: "app", baseUrl: "" })
    `
    const lines = (await compile(wrong, { lib: ["es2024", "dom"] })).matchAll(
      /program\.ts\((\d+),\d+\): error/g,
    )
    expect([...lines].map(([, line]) => Number(line))).toEqual([4, 5, 6, 7, 8])
  })
})

test("the examples of the pages and of its README run with what `. .sealway/env` sets", async () => {
  // The others need a relay, a function or a page: relay.test.ts and client.test.ts make the same calls.
  const blocks = (await readSnippets(await pagesWithSnippets()))
    .filter(({ language, text }) => language === "js" && /^import .*sealway\/sdk(\/browser)?"$/m.test(text))
    .map(({ text }) => text)
  expect(blocks.length).toBeGreaterThan(8)
  const place = join(folder, "readme")
  await mkdir(place)
  const files = blocks.map((_, index) => join(place, `example-${index}.mjs`))
  for (const [index, file] of files.entries()) await writeFile(file, blocks[index] ?? "")
  const all = join(place, "all.mjs")
  await writeFile(all, files.map((file) => `await import(${JSON.stringify(file)})\n`).join(""))
  const { user, key } = service.sandbox.auth
  // What `. .sealway/env` sets, and nothing else.
  const variables = environmentOf(
    { ...ADDRESSES, url: service.url },
    {
      teamId: service.team.id,
      teamKey: service.team.auth.key,
      apps: [{ id: user, environment: "sandbox", apiKey: key }],
    },
  )
  const { stdout } = await run(execPath, [all], { cwd: ROOT, env: { ...env, ...variables } })
  for (const shown of [
    "ev:debug:",
    "Ada Lovelace",
    "card-number",
    "IE29AIBK93115212345678",
    "readme",
    "visa",
    "invalid-request 400 /slug",
    "Office",
    "\ntrue\n",
    "relay.error",
  ]) {
    expect(stdout).toContain(shown)
  }
  // Bytes of a file.
  expect(stdout).toMatch(/^10$/m)
})
