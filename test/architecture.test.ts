import { globSync, readdirSync, readFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { basename, dirname, join, relative, resolve } from "node:path"
import { describe, expect, test } from "vitest"

const ROOT = resolve(import.meta.dirname, "..")
/** Where each package is: `packages/core/kernel`. */
const FOLDERS = new Map(
  globSync("packages/*/*/package.json", { cwd: ROOT }).map((manifest) => {
    const folder = dirname(manifest)
    return [basename(folder), folder] as const
  }),
)

const VAULT_AND_LEFT = [
  "kernel",
  "tokens",
  "ports",
  "accounts",
  "keys",
  "records",
  "http",
  "policies",
  "vault",
]
const AREAS = [
  "enclave",
  "honey",
  "formats",
  "files",
  "subjects",
  "elements",
  "management",
  "members",
  "webhooks",
  "functions",
  "bins",
  "three-d-secure",
  "payments",
  "relay-engine",
  "relay",
  "relay-proxy",
]

/** What each package may import from the others: arrows point one way, as CONTRIBUTING.md draws them. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  kernel: [],
  tokens: ["kernel"],
  "format-cipher": [],
  "relay-engine": ["kernel", "tokens"],
  ports: ["kernel", "tokens"],
  accounts: ["kernel", "tokens", "ports"],
  keys: ["kernel", "tokens", "ports", "accounts"],
  records: ["kernel", "tokens", "ports", "accounts", "keys"],
  http: ["kernel", "tokens", "ports", "accounts", "keys", "records"],
  policies: ["kernel", "tokens", "ports", "accounts", "keys", "records", "http"],
  proofs: ["kernel", "policies"],
  vault: ["kernel", "tokens", "ports", "accounts", "keys", "records", "http", "policies"],
  management: VAULT_AND_LEFT,
  members: VAULT_AND_LEFT,
  webhooks: VAULT_AND_LEFT,
  enclave: VAULT_AND_LEFT,
  honey: VAULT_AND_LEFT,
  formats: [...VAULT_AND_LEFT, "format-cipher"],
  files: VAULT_AND_LEFT,
  subjects: VAULT_AND_LEFT,
  "enclave-agent": ["kernel", "tokens", "vault", "enclave"],
  functions: VAULT_AND_LEFT,
  bins: [...VAULT_AND_LEFT, "webhooks"],
  "three-d-secure": [...VAULT_AND_LEFT, "webhooks", "bins"],
  payments: [...VAULT_AND_LEFT, "webhooks", "bins", "three-d-secure"],
  relay: [...VAULT_AND_LEFT, "relay-engine"],
  "relay-proxy": [...VAULT_AND_LEFT, "relay-engine", "relay"],
  elements: ["kernel", "tokens", "ports", "accounts", "keys", "records", "http", "sdk"],
  api: [...VAULT_AND_LEFT, ...AREAS],
  local: [...VAULT_AND_LEFT, ...AREAS, "api", "dashboard", "proofs"],
  sdk: ["kernel", "tokens"],
  dashboard: ["kernel", "sdk"],
  cli: [
    "kernel",
    "tokens",
    "relay-engine",
    "ports",
    "accounts",
    "keys",
    "records",
    "http",
    "policies",
    "proofs",
    "management",
    "webhooks",
    "relay",
    "local",
    "sdk",
  ],
}

/** What a wing, the folder that a package is in, may import. The service knows nobody who calls it or runs it. */
const WING_MAY_IMPORT: Record<string, readonly string[]> = {
  core: ["core"],
  service: ["core", "service"],
  clients: ["core", "service", "clients", "hosts"],
  hosts: ["core", "service", "clients", "hosts"],
}
/** What is not in a package, and has rooms too. */
const OUTSIDE_PACKAGES = ["bench", "infra", "scripts", "stacks", "test"]

/** Packages that only compute: they reach no file, network or AWS by any chain of imports. */
const PURE_PACKAGES = ["kernel", "tokens", "format-cipher", "relay-engine"]
/** Files of `vault` that authenticate callers, which takes a table. */
const CREDENTIALS_OF_VAULT = [
  "bound-tokens/bound-token",
  "bound-tokens/client-side-token",
  "bound-tokens/reveal-token",
]

/** Where clocks and the environment come from, and files that are timers themselves. */
const CLOCKS = [
  "packages/clients/dashboard/src/app/clock.ts",
  "packages/clients/enclave-agent/src/main.ts",
  "packages/service/http/src/platform.ts",
  "packages/service/http/src/ingress/deadlines.ts",
  "packages/core/kernel/src/work/process-turns.ts",
]

interface Import {
  readonly file: string
  readonly specifier: string
  /** Names that are imported at run time; null when they are not known. Empty: types only, which do not exist then. */
  readonly names: readonly string[] | null
  /** Whether it is imported when it is needed rather than when the file is loaded. */
  readonly isDynamic: boolean
}

const importsByFile = new Map<string, Import[]>()
const packages = [...FOLDERS.keys()]
const exportedFiles = new Map(packages.flatMap((name) => exportsOf(name)))
const files = packages.flatMap((name) => sourcesOf(name).map((file) => ({ name, file })))
const imports = files.flatMap(({ name, file }) => importsOf(file).map((each) => ({ name, ...each })))
/** The project's own libraries. Of these, a package may import types without declaring them. */
const developedWith = new Set(
  Object.keys(manifestIn("").devDependencies ?? {}).map((library) => library.replace(/^@types\//, "")),
)

describe("the packages", () => {
  test("are the ones that the arrows are drawn for", () => {
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

  test("stand in wings: the core imports only itself, and the service no client and no host", () => {
    const breaches = imports.flatMap(({ name, file, specifier }) => {
      const [scope, target = ""] = specifier.split("/")
      if (scope !== "@sealway") return []
      return WING_MAY_IMPORT[wingOf(name)]?.includes(wingOf(target)) ? [] : [`${file} imports ${specifier}`]
    })
    expect(breaches).toEqual([])
  })

  test("reach into no other package's folder", () => {
    const breaches = imports.filter(({ name, file, specifier }) => {
      if (!specifier.startsWith(".")) return false
      return relative(join(ROOT, folderOf(name)), resolve(ROOT, file, "..", specifier)).startsWith("..")
    })
    expect(breaches).toEqual([])
  })

  test("are entered by the names that they export, also from tests, benchmarks and scripts", () => {
    const outside = globSync(`{${OUTSIDE_PACKAGES}}/**/*.ts`, { cwd: ROOT })
    const breaches = outside.flatMap((file) =>
      importsOf(file)
        .flatMap(({ specifier }) => localTarget(file, specifier))
        .filter((target) => /^packages\/[^/]+\/[^/]+\/src\//.test(target))
        .map((target) => `${file} imports ${target}`),
    )
    expect(breaches).toEqual([])
  })

  test("use nothing of another that it exports for tests", () => {
    expect(imports.filter(({ specifier }) => /^@sealway\/[^/]+\/testing\b/.test(specifier))).toEqual([])
  })

  test("declare every library that they import, and import every one that they declare", () => {
    for (const name of packages) {
      const used = imports
        .filter((each) => each.name === name)
        .flatMap(({ specifier, names }) =>
          libraryOf(specifier).filter((library) => names?.length !== 0 || !developedWith.has(library)),
        )
      expect({ [name]: [...dependenciesOf(name)].sort() }).toEqual({ [name]: [...new Set(used)].sort() })
    }
  })

  test("open values and files only where honey tokens are kept back", () => {
    const opening = ["openToken", "openTokenInSteps", "openFile", "openFileInSteps", "openFileStream"]
    const opened = imports.filter(
      ({ specifier, names }) =>
        specifier === "@sealway/tokens" && (names === null || names.some((name) => opening.includes(name))),
    )
    expect([...new Set(opened.map(({ file }) => file))].sort()).toEqual([
      "packages/service/relay/src/cipher/create-message-cipher.ts",
      "packages/service/vault/src/values/token-opener.ts",
    ])
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

  test("have rooms that import one way at every depth, as what is outside of packages has", () => {
    const sources = [...files.map(({ file }) => file), ...OUTSIDE_PACKAGES.flatMap(sourcesIn)]
    // Of each folder: its files and folders, and which others of it they import.
    const graphs = new Map<string, Map<string, string[]>>()
    for (const file of sources) {
      for (const target of importsOf(file).flatMap(({ specifier }) => localTarget(file, specifier))) {
        const [from, to] = [file.split("/"), target.split("/")]
        const depth = from.findIndex((part, place) => part !== to[place])
        const [room = "", reached = ""] = [from[depth], to[depth]]
        // Scripts, benchmarks and tests use each other's.
        if (depth < 1) continue
        const folder = from.slice(0, depth).join("/")
        const graph = graphs.get(folder) ?? new Map<string, string[]>()
        graphs.set(folder, graph)
        graph.set(room, [...(graph.get(room) ?? []), reached])
      }
    }
    expect(graphs.size).toBeGreaterThan(100)
    for (const [folder, graph] of graphs) expect({ [folder]: findCycle(graph) }).toEqual({ [folder]: null })
  })
})

describe("the core", () => {
  test("does no I/O by any chain of imports", () => {
    const roots = files.filter(({ name, file }) => PURE_PACKAGES.includes(name) || isPureVaultFile(file))
    expect(roots.length).toBeGreaterThan(100)
    for (const { file } of roots) expect({ [file]: inputAndOutputOf(file) }).toEqual({ [file]: [] })
  })

  test("includes what decides policies and what reads their files", () => {
    for (const file of [
      "packages/service/policies/src/files/index.ts",
      "packages/service/policies/src/cedar/policy-engine.ts",
    ]) {
      expect({ [file]: inputAndOutputOf(file) }).toEqual({ [file]: [] })
    }
  })

  test("reads neither the environment nor a clock", () => {
    const breaches = files
      .filter(({ name, file }) => name !== "local" && !CLOCKS.includes(file))
      .filter(({ file }) => /process\.env|Date\.now\(|performance\.now\(|new Date\(\)/.test(read(file)))
    expect(breaches).toEqual([])
  })
})

test("starts the command line without a library of AWS", () => {
  const commands = files.filter(({ file }) => file.startsWith("packages/clients/cli/src/commands/"))
  expect(commands.length).toBeGreaterThan(20)
  for (const { file } of [{ file: "packages/clients/cli/src/main.ts" }, ...commands]) {
    const libraries = [...reach(file).libraries].filter((library) => /^@(aws|smithy)/.test(library))
    expect({ [file]: libraries }).toEqual({ [file]: [] })
  }
})

test("loads the solver in a thread, for a command or a service on one machine, and in no Lambda function", () => {
  const loading = imports.filter(({ specifier }) => specifier.startsWith("z3-solver"))
  expect(loading.map(({ file }) => file)).toEqual(["packages/clients/proofs/src/solver/z3-worker.ts"])
  const importing = Object.entries(MAY_IMPORT).filter(([, targets]) => targets.includes("proofs"))
  expect(importing.map(([name]) => name)).toEqual(["local", "cli"])
  // The command line loads it with the commands that prove something.
  expect(
    imports.filter(
      ({ name, specifier, names, isDynamic }) =>
        name === "cli" && specifier === "@sealway/proofs" && !isDynamic && names?.length !== 0,
    ),
  ).toEqual([])
  // The service starts the thread with a question: until then it loads nothing for it.
  expect(
    imports.filter(({ name, specifier }) => name === "local" && specifier === "@sealway/proofs"),
  ).toEqual([])
  const { libraries } = reach("packages/hosts/local/src/local-service.ts")
  expect([...libraries].filter((library) => library.startsWith("z3-solver"))).toEqual([])
})

/** What works for no request, and why it may: its work is never cancelled, and nobody weighs it. */
const WORKS_FOR_NO_REQUEST: Record<string, string> = {
  "packages/clients/enclave-agent/src/service/check-json.ts": "the agent serves one program",
  "packages/service/functions/src/runs/attempt-run.ts": "a queued run goes on after its caller has left",
  "packages/service/functions/src/runs/run-function.ts":
    "the outcome of what has run is kept for a repeated request",
  "packages/hosts/local/src/gateway/exchange.ts": "makes the tasks of requests",
  "packages/hosts/local/src/gateway/receive-body.ts": "a body is weighed while it arrives",
  "packages/service/bins/src/bins/bin-data.ts": "what it reads is kept for other requests",
  "packages/service/bins/src/bins/bin-table-table.ts": "the default of one that reads for other requests",
  "packages/hosts/api/src/lambda/edge/deadline.ts": "makes the tasks of requests in Lambda",
  "packages/service/http/src/endpoint/handler.ts": "the default of tools and tests",
  "packages/service/http/src/endpoint/write-reply.ts": "an answer is kept for a repeated request",
  "packages/hosts/relay-proxy/src/handler/exchange.ts": "makes turns that end with their exchange",
  "packages/service/vault/src/documents/decrypt-json.ts": "the default of tools and tests",
  "packages/service/vault/src/documents/encrypt-json.ts": "the default of tools and tests",
  "packages/service/vault/src/documents/open-tokens.ts": "the default of tools and tests",
  "packages/service/vault/src/documents/rewrap-json.ts": "the default of tools and tests",
  "packages/service/vault/src/values/open-ahead.ts": "the default of tools and tests",
  "packages/service/vault/src/values/token-opener.ts": "the default of workers, tools and tests",
}

test("works for requests with their tasks, so that it is weighed, and ends when their clients leave", () => {
  const working = imports.filter(
    ({ specifier, names }) =>
      specifier === "@sealway/kernel" &&
      (names?.some((name) => name === "processTurns" || name === "processTask") ?? true),
  )
  expect(working.map(({ file }) => file).toSorted()).toEqual(Object.keys(WORKS_FOR_NO_REQUEST).toSorted())
})

/** Packages whose endpoints change things. */
const CHANGING = [
  "policies",
  "vault",
  "enclave",
  "honey",
  "files",
  "subjects",
  "management",
  "webhooks",
  "functions",
  "bins",
  "three-d-secure",
  "payments",
  "relay",
]
/** What draws by itself in them, and why a repeated request still creates nothing twice. */
const DRAWS_BY_ITSELF: Record<string, string> = {
  "packages/service/functions/src/records/function.ts": "the ids are part of a record that is written once",
  "packages/service/functions/src/records/run-slots.ts": "any of several counters will do",
  "packages/service/honey/src/touches/note-touches.ts": "spells hashes as ids, and draws nothing",
  "packages/service/payments/src/retries/retry-enrolments.ts": "spells a hash as an id, and draws nothing",
  "packages/service/policies/src/cedar/policy-engine.ts": "names nothing that is kept",
  "packages/service/policies/src/deciding/decision-log.ts": "names what a process has counted",
  "packages/service/relay/src/alerts/alert-raiser.ts": "made by a relay's traffic",
  "packages/service/relay/src/trial/dry-cipher.ts": "what a trial seals for a data subject opens nowhere",
  "packages/service/vault/src/audit/record-decryption.ts": "each decryption is on record, a repeated one too",
}

test("draws ids and secrets in endpoints from `draws`, so that a repeated request makes the same", () => {
  const sources = /^(createId|createRandom\w+|random\w+|generateKey\w*)$/
  const drawing = imports.filter(
    ({ name, specifier, names }) =>
      CHANGING.includes(name) &&
      /^(@sealway\/kernel|(node:)?crypto)$/.test(specifier) &&
      (names === null || names.some((each) => sources.test(each))),
  )
  expect([...new Set(drawing.map(({ file }) => file))].sort()).toEqual(Object.keys(DRAWS_BY_ITSELF))
  const globals = files.filter(
    ({ name, file }) =>
      CHANGING.includes(name) && /\bcrypto\.(randomUUID|getRandomValues|randomBytes)\b/.test(read(file)),
  )
  expect(globals).toEqual([])
})

describe("an endpoint", () => {
  const rooms = files.map(({ file }) => file).filter((file) => file.includes("/src/endpoints/"))
  const countIn = (file: string, declaring: RegExp) => read(file).match(declaring)?.length ?? 0

  test("is declared in a file of its own, unless it only gets, lists or deletes", () => {
    const isMixed = (file: string) =>
      countIn(file, /\bendpoint\(\{/g) + Math.min(1, countIn(file, /\b(reading|deleting)Endpoint\(\{/g)) > 1
    expect(rooms.filter(isMixed)).toEqual([])
  })

  test("appears in a list of endpoints", () => {
    const listed = new Set(imports.flatMap(({ file, specifier }) => localTarget(file, specifier)))
    const isDeclaring = (file: string) => countIn(file, /\b(e|readingE|deletingE)ndpoint\(\{/g) > 0
    expect(rooms.filter((file) => isDeclaring(file) && !listed.has(file))).toEqual([])
  })
})

test("has no module as a file's default export, nor a re-export of all of another", () => {
  expect(files.filter(({ file }) => /^export (default|\*)/m.test(read(file)))).toEqual([])
})

function isPureVaultFile(file: string): boolean {
  const [, name] = /^packages\/service\/vault\/src\/(?!index|endpoints\/)(.+)\.ts$/.exec(file) ?? []
  return name !== undefined && !CREDENTIALS_OF_VAULT.includes(name)
}

/** Returns what a file loads that reads or writes, as `library (the file that imports it)`. */
function inputAndOutputOf(file: string): string[] {
  const forbidden =
    /^(node:(fs|net|http|http2|https|child_process|dgram|dns|tls|worker_threads)|@aws-sdk\/|undici)/
  return [...reach(file).imports]
    .filter(({ specifier, names }) => forbidden.test(specifier) && !asksForSpelling(specifier, names))
    .map((each) => `${each.specifier} (${each.file})`)
}

/** How an address is spelled does not concern the network, and `node:net` knows it. */
function asksForSpelling(specifier: string, names: Import["names"]): boolean {
  return specifier === "node:net" && names !== null && names.every((name) => /^isIP(v[46])?$/.test(name))
}

/** Returns all that is loaded with a file: imports of libraries, and their names. Dynamic imports are left out. */
function reach(file: string): { imports: readonly Import[]; libraries: ReadonlySet<string> } {
  const seen = new Set([file])
  const found: Import[] = []
  for (const each of seen) {
    for (const one of importsOf(each)) {
      if (one.isDynamic || one.names?.length === 0) continue
      const target = localTarget(each, one.specifier)[0] ?? exportedFiles.get(one.specifier)
      if (target === undefined) found.push(one)
      else if (target.endsWith(".ts")) seen.add(target)
    }
  }
  return { imports: found, libraries: new Set(found.map(({ specifier }) => specifier)) }
}

function folderOf(name: string): string {
  return FOLDERS.get(name) ?? ""
}

function wingOf(name: string): string {
  return folderOf(name).split("/")[1] ?? ""
}

function sourcesOf(name: string): string[] {
  return sourcesIn(`${folderOf(name)}/src`)
}

/** Returns what a folder holds except tests and what only they use. */
function sourcesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter(
      (file) =>
        /\.tsx?$/.test(file) && !/\.test\.tsx?$|\/testing\/|^testing\//.test(file) && !file.endsWith(".d.ts"),
    )
    .map((file) => `${folder}/${file}`)
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8")
}

function importsOf(file: string): Import[] {
  const known = importsByFile.get(file)
  if (known !== undefined) return known
  const found = [
    ...read(file).matchAll(
      /^(?:import|export)\b(?<clause>[^"'`;]*?)\bfrom\s+"(?<from>[^"]+)"|\bimport(?:\.meta\.resolve)?\(\s*"(?<dynamic>[^"]+)"\s*\)|^import\s+"(?<bare>[^"]+)"/gm,
    ),
  ].map(({ groups: { clause, from, dynamic, bare } = {} }) => ({
    file,
    specifier: from ?? dynamic ?? bare ?? "",
    names: clause === undefined ? null : namesOf(clause),
    isDynamic: dynamic !== undefined,
  }))
  importsByFile.set(file, found)
  return found
}

/** Returns the names of a clause such as ` { a, type B } ` that exist at run time; null where it does not list them. */
function namesOf(clause: string): string[] | null {
  if (/^\s+type\b/.test(clause)) return []
  const [, list] = /^\s*\{([^}]*)\}\s*$/.exec(clause) ?? []
  if (list === undefined) return null
  const names = list.split(",").map((name) => name.trim())
  return names.filter((name) => name !== "" && !name.startsWith("type "))
}

function libraryOf(specifier: string): string[] {
  if (/^(\.|#|node:)/.test(specifier) || builtinModules.includes(specifier)) return []
  const parts = specifier.split("/")
  const library = specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? "")
  return [library]
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  /** Optional ones, of which only one entry point has need. */
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string>>
}

function manifestOf(name: string): Manifest {
  return manifestIn(folderOf(name))
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(read(join(folder, "package.json"))) as Manifest
}

function dependenciesOf(name: string): Set<string> {
  const { dependencies, peerDependencies } = manifestOf(name)
  return new Set(Object.keys({ ...dependencies, ...peerDependencies }))
}

/** Returns what the package exports, `@sealway/tokens`, and the file of it. */
function exportsOf(name: string): [string, string][] {
  return Object.entries(manifestOf(name).exports ?? {}).map(([path, file]) => [
    `@sealway/${name}${path.slice(1)}`,
    join(folderOf(name), file),
  ])
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
