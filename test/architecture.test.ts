import { readdirSync, readFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { join, relative, resolve } from "node:path"
import { describe, expect, test } from "vitest"

const ROOT = resolve(import.meta.dirname, "..")
const PACKAGES = join(ROOT, "packages")
const ENGINE = "packages/relay-engine/src/"

/** What each package may import of the others: arrows point one way, as CONTRIBUTING.md draws them. */
const VAULT_AND_LEFT = ["kernel", "tokens", "platform", "policies", "vault"]
const AREAS = ["management", "webhooks", "functions", "relay-engine", "relay", "relay-proxy"]
const MAY_IMPORT: Record<string, readonly string[]> = {
  kernel: [],
  tokens: ["kernel"],
  "relay-engine": ["kernel", "tokens"],
  platform: ["kernel", "tokens"],
  policies: ["kernel", "tokens", "platform"],
  vault: ["kernel", "tokens", "platform", "policies"],
  management: VAULT_AND_LEFT,
  webhooks: VAULT_AND_LEFT,
  functions: VAULT_AND_LEFT,
  relay: [...VAULT_AND_LEFT, "relay-engine"],
  "relay-proxy": [...VAULT_AND_LEFT, "relay-engine", "relay"],
  api: [...VAULT_AND_LEFT, ...AREAS],
  local: [...VAULT_AND_LEFT, ...AREAS, "api"],
  cli: ["kernel", "platform", "policies", "management", "relay"],
}

interface Import {
  readonly file: string
  readonly specifier: string
}

const packages = readdirSync(PACKAGES)
const files = packages.flatMap((name) => sourcesOf(name).map((file) => ({ name, file })))
const imports = files.flatMap(({ name, file }) => importsOf(file).map((each) => ({ name, ...each })))

describe("the packages", () => {
  test("are those that the arrows are drawn for", () => {
    expect(packages.sort()).toEqual(Object.keys(MAY_IMPORT).sort())
  })

  test("import only packages on their left, and declare each in package.json", () => {
    const breaches = imports.flatMap(({ name, file, specifier }) => {
      const [scope, target = ""] = specifier.split("/")
      if (scope !== "@sealway" || target === name) return []
      const allowed = MAY_IMPORT[name]?.includes(target) && dependenciesOf(name).has(`@sealway/${target}`)
      return allowed ? [] : [`${file} imports ${specifier}`]
    })
    expect(breaches).toEqual([])
  })

  test("reach into no other package's folder", () => {
    const breaches = imports.filter(({ name, file, specifier }) => {
      if (!specifier.startsWith(".")) return false
      return relative(join(PACKAGES, name), resolve(ROOT, file, "..", specifier)).startsWith("..")
    })
    expect(breaches).toEqual([])
  })

  test("declare every library that they import, and import every one that they declare", () => {
    for (const name of packages) {
      const used = new Set(
        imports.filter((each) => each.name === name).flatMap(({ specifier }) => libraryOf(specifier)),
      )
      expect({ [name]: [...dependenciesOf(name)].sort() }).toEqual({ [name]: [...used].sort() })
    }
  })

  test("have no cycle of imports inside, type-only ones included", () => {
    const graph = new Map(
      files.map(({ file }) => [
        file,
        importsOf(file).flatMap(({ specifier }) => localTarget(file, specifier)),
      ]),
    )
    expect(findCycle(graph)).toBeNull()
  })
})

describe("the core", () => {
  const pure = imports.filter(
    ({ name, file }) =>
      name === "kernel" || name === "tokens" || isPureVaultFile(file) || file.startsWith(ENGINE),
  )

  test("does no I/O", () => {
    const forbidden =
      /^(node:(fs|net|http|http2|https|child_process|dgram|dns|tls|worker_threads)|@aws-sdk\/|@sealway\/platform\/egress|undici)/
    // What spelling an address has is no matter of the network, and `node:net` knows it.
    const asksForSpelling = (file: string) =>
      /^import \{ (isIP(v[46])?(, )?)+ \} from "node:net"$/m.test(read(file))
    const breaches = pure.filter(
      ({ file, specifier }) =>
        forbidden.test(specifier) && !(specifier === "node:net" && asksForSpelling(file)),
    )
    expect(breaches).toEqual([])
  })

  test("reads no environment, and no clock", () => {
    const breaches = files
      .filter(({ name, file }) => name !== "local" && !file.endsWith("platform/src/platform.ts"))
      .filter(({ file }) => /process\.env|Date\.now\(|performance\.now\(|new Date\(\)/.test(read(file)))
    expect(breaches).toEqual([])
  })
})

describe("an endpoint", () => {
  const rooms = files.map(({ file }) => file).filter((file) => file.includes("/src/endpoints/"))
  const declaredIn = (file: string) => read(file).match(/\bendpoint\(\{/g)?.length ?? 0

  test("is declared in a file of its own", () => {
    expect(rooms.filter((file) => declaredIn(file) > 1)).toEqual([])
  })

  test("stands in a list of endpoints", () => {
    const listed = new Set(imports.flatMap(({ file, specifier }) => localTarget(file, specifier)))
    expect(rooms.filter((file) => declaredIn(file) > 0 && !listed.has(file))).toEqual([])
  })
})

test("no module is the default export of a file, nor re-exports all of another", () => {
  expect(files.filter(({ file }) => /^export (default|\*)/m.test(read(file)))).toEqual([])
})

function isPureVaultFile(file: string): boolean {
  return (
    file.startsWith("packages/vault/src/") &&
    !file.includes("/endpoints/") &&
    !file.endsWith("/token-opener.ts")
  )
}

function sourcesOf(name: string): string[] {
  return readdirSync(join(PACKAGES, name, "src"), { recursive: true, encoding: "utf8" })
    .filter(
      (file) =>
        file.endsWith(".ts") && !/\.test\.ts$|\/testing\/|^testing\//.test(file) && !file.endsWith(".d.ts"),
    )
    .map((file) => `packages/${name}/src/${file}`)
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8")
}

function importsOf(file: string): Import[] {
  const found = read(file).matchAll(
    /^(?:import|export)\b[^"'`;]*?\bfrom\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)|^import\s+"([^"]+)"/gm,
  )
  return [...found].map(([, from, dynamic, bare]) => ({ file, specifier: from ?? dynamic ?? bare ?? "" }))
}

function libraryOf(specifier: string): string[] {
  if (specifier.startsWith(".") || specifier.startsWith("node:") || builtinModules.includes(specifier))
    return []
  const parts = specifier.split("/")
  const library = specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? "")
  return library === "aws-lambda" ? [] : [library]
}

function dependenciesOf(name: string): Set<string> {
  const manifest = JSON.parse(read(`packages/${name}/package.json`)) as {
    dependencies?: Record<string, string>
  }
  return new Set(Object.keys(manifest.dependencies ?? {}))
}

function localTarget(file: string, specifier: string): string[] {
  return specifier.startsWith(".") ? [relative(ROOT, resolve(ROOT, file, "..", specifier))] : []
}

function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>()
  const visit = (node: string, path: string[]): string[] | null => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return null
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...path, node])
      if (cycle !== null) return cycle
    }
    done.add(node)
    return null
  }
  for (const node of graph.keys()) {
    const cycle = visit(node, [])
    if (cycle !== null) return cycle
  }
  return null
}
