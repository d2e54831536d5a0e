import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { build } from "esbuild"
import * as z from "zod"

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, "../..")
const SDK = join(ROOT, "packages/clients/sdk")
const TYPESCRIPT = join(ROOT, "node_modules/typescript/bin/tsc")

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
})

/** The entry points, by the runtimes that they are for: `node` may use node:crypto, `web` only what browsers have. */
const ENTRIES = {
  node: { index: "index.ts", api: "api/generated/index.ts", browser: "browser.ts", node: "node.ts" },
  web: {
    index: "index.ts",
    api: "api/generated/index.ts",
    browser: "browser.ts",
    fields: "fields/index.ts",
    react: "react/index.ts",
  },
} as const

/**
 * What the entry points re-export, each in files that bundlers leave out if an application does not use it: they keep
 * or drop files as a whole.
 */
const PARTS = {
  "part-errors": "errors/errors.ts",
  "part-webhooks": "webhooks/verify-webhook.ts",
  "part-test-webhooks": "webhooks/sign-test-webhook.ts",
  "part-browser": "browser/sealway-browser.ts",
  "part-server": "server/sealway.ts",
  "part-team": "server/sealway-team.ts",
}

const SOURCES = [...new Set(Object.values(ENTRIES).flatMap((entries) => Object.values(entries)))]
/** Those whose types need the types of browsers, which programs on servers do not have. */
const isOfPages = (file: string) => /^(fields|react)\//.test(file)

/** Chooses a build by runtime; the first condition that a runtime or a bundler has wins. */
const byRuntime = (entry: "index" | "api" | "browser", types: string) => ({
  types,
  browser: `./dist/web/${entry}.js`,
  workerd: `./dist/web/${entry}.js`,
  deno: `./dist/node/${entry}.js`,
  bun: `./dist/node/${entry}.js`,
  node: `./dist/node/${entry}.js`,
  default: `./dist/web/${entry}.js`,
})

/** What an application brings along, if it uses the entry point that needs it. */
const PEERS = ["react"]

const EXPORTS = {
  ".": byRuntime("index", "./dist/types/index.d.ts"),
  "./browser": byRuntime("browser", "./dist/types/browser.d.ts"),
  "./fields": { types: "./dist/types/fields/index.d.ts", default: "./dist/web/fields.js" },
  "./react": { types: "./dist/types/react/index.d.ts", default: "./dist/web/react.js" },
  "./node": { types: "./dist/types/node.d.ts", default: "./dist/node/node.js" },
  "./api": byRuntime("api", "./dist/types/api/generated/index.d.ts"),
  "./package.json": "./package.json",
}

/**
 * Builds the package that is published: a folder with JavaScript for each kind of runtime, types, and a package.json
 * without dependencies, because what it needs of other packages is inside.
 *
 * @param folder is replaced
 */
export async function buildSdk(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await Promise.all([
    bundle("node", folder),
    bundle("web", folder),
    writeTypes(join(folder, "dist/types")),
    writeManifest(folder),
    cp(join(SDK, "README.md"), join(folder, "README.md")),
    cp(join(ROOT, "LICENSE"), join(folder, "LICENSE")),
  ])
}

async function bundle(runtime: keyof typeof ENTRIES, folder: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(
      Object.entries({ ...ENTRIES[runtime], ...PARTS }).map(([name, file]) => [name, join(SDK, "src", file)]),
    ),
    outdir: join(folder, "dist", runtime),
    bundle: true,
    // Entry points share what they have in common: an error is an instance of one class, wherever that is imported from.
    splitting: true,
    chunkNames: "shared-[hash]",
    format: "esm",
    target: "es2022",
    ...(runtime === "node"
      ? { platform: "node" as const }
      : { platform: "neutral" as const, conditions: [], mainFields: [] }),
    external: PEERS,
    legalComments: "none",
    logLevel: "warning",
  })
}

/** Writes the declarations of the SDK; those of the packages inside it are not published. */
async function writeTypes(folder: string): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), "sealway-sdk-types-"))
  try {
    const compile = async (name: string, files: readonly string[]) => {
      const configuration = {
        extends: join(ROOT, name),
        compilerOptions: {
          noEmit: false,
          declaration: true,
          emitDeclarationOnly: true,
          incremental: false,
          typeRoots: [join(ROOT, "node_modules/@types")],
          rootDir: ROOT,
          outDir: temporary,
        },
        files: files.map((file) => join(SDK, "src", file)),
        include: [],
      }
      const file = join(temporary, name)
      await writeFile(file, JSON.stringify(configuration))
      await run(process.execPath, [TYPESCRIPT, "-p", file])
    }
    await compile(
      "tsconfig.json",
      SOURCES.filter((file) => !isOfPages(file)),
    )
    await compile("tsconfig.browser.json", SOURCES.filter(isOfPages))
    await copyReached(join(temporary, "packages/clients/sdk/src"), folder)
  } finally {
    await rm(temporary, { recursive: true })
  }
}

/**
 * Copies the declarations that the entry points reach. What they import must be in the package too, or come with Node.js.
 */
async function copyReached(from: string, to: string): Promise<void> {
  const files = new Set(SOURCES.map((file) => file.replace(/\.ts$/, ".d.ts")))
  for (const file of files) {
    const text = await readFile(join(from, file), "utf8")
    for (const [, specifier = ""] of text.matchAll(/(?:\bfrom |\bimport\()"([^"]+)"/g)) {
      if (specifier.startsWith(".")) files.add(join(dirname(file), specifier.replace(/\.ts$/, ".d.ts")))
      else if (!specifier.startsWith("node:") && !PEERS.includes(specifier))
        throw new Error(`The type of ${file} needs ${specifier}`)
    }
    await mkdir(dirname(join(to, file)), { recursive: true })
    await writeFile(join(to, file), text.replaceAll(/((?:\bfrom |\bimport\()"\.[^"]*)\.ts"/g, '$1.js"'))
  }
}

async function writeManifest(folder: string): Promise<void> {
  const source = manifestSchema.parse(JSON.parse(await readFile(join(SDK, "package.json"), "utf8")))
  const entries = Object.entries(EXPORTS).flatMap(([name, entry]) =>
    typeof entry === "string" ? [] : [[name.replace(/^\.\/?/, ""), entry.types] as const],
  )
  const manifest = {
    ...source,
    keywords: ["encryption", "tokenization", "data-protection", "pci", "sealway"],
    type: "module",
    sideEffects: false,
    exports: EXPORTS,
    // For programs with TypeScript's old resolution (`node10`), which does not read `exports`.
    main: "./dist/node/index.js",
    types: "./dist/types/index.d.ts",
    typesVersions: {
      "*": Object.fromEntries(
        entries.filter(([name]) => name !== "").map(([name, types]) => [name, [types]]),
      ),
    },
    files: ["dist"],
    peerDependencies: { react: ">=18" },
    peerDependenciesMeta: { react: { optional: true } },
    // The first versions in which CommonJS can `require` it.
    engines: { node: "^20.19.0 || >=22.12.0" },
    publishConfig: { access: "public", provenance: true },
  }
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
}
