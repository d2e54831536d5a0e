import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"

const OWN = "@sealway/"
const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] as const

/** The package for Python has the version of the whole, too. */
const PYTHON = "clients/python/src/sealway/_version.py"
const PYTHON_VERSION = /^__version__ = "(.*)"$/m

const dependenciesSchema = z.record(z.string(), z.string()).optional()
const manifestSchema = z.looseObject({
  version: z.string().optional(),
  dependencies: dependenciesSchema,
  devDependencies: dependenciesSchema,
  peerDependencies: dependenciesSchema,
  optionalDependencies: dependenciesSchema,
})
type Manifest = z.infer<typeof manifestSchema>
const lockfileSchema = z.looseObject({ version: z.string(), packages: z.record(z.string(), manifestSchema) })
/** Keeps fields in their order. */
const objectSchema = z.record(z.string(), z.unknown())

const pathsIn = (root: string): string[] => [
  "package.json",
  ...globSync("packages/*/*/package.json", { cwd: root }).sort(),
]
const readJson = (root: string, path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"))

/**
 * Finds everything that does not have the version of the whole: `packages/hosts/local/package.json: @sealway/kernel 0.1.0`.
 */
export function faultsOfVersions(root: string): readonly string[] {
  const { version: wanted = "" } = manifestSchema.parse(readJson(root, "package.json"))
  const lockfile = lockfileSchema.parse(readJson(root, "package-lock.json"))
  const manifests = pathsIn(root).map((path) => [path, manifestSchema.parse(readJson(root, path))] as const)
  const locked = ownEntriesOf(lockfile.packages).map(
    ([path, entry]) => [`package-lock.json, ${path || "the whole"}`, entry] as const,
  )
  const whole = ["package-lock.json", { version: lockfile.version }] as const
  const python = [PYTHON, { version: pythonVersionIn(root) }] as const
  return [...manifests, python, whole, ...locked].flatMap(([path, manifest]) =>
    versionsOf(manifest)
      .filter(([, version]) => version !== wanted)
      .map(([name, version]) => `${path}: ${name} ${version}`),
  )
}

/** Gives a version to every package, to its dependents, and to the lockfile. */
export function setVersion(root: string, version: string): void {
  for (const path of pathsIn(root)) write(root, path, changed(readJson(root, path), version))
  const python = readFileSync(join(root, PYTHON), "utf8")
  writeFileSync(join(root, PYTHON), python.replace(PYTHON_VERSION, `__version__ = "${version}"`))
  const lockfile = objectSchema.parse(readJson(root, "package-lock.json"))
  const packages = objectSchema.parse(lockfile.packages)
  const own = ownEntriesOf(packages).map(([path, entry]) => [path, changed(entry, version)] as const)
  write(root, "package-lock.json", {
    ...lockfile,
    version,
    packages: { ...packages, ...Object.fromEntries(own) },
  })
}

/** Returns the releases that a changelog lists, in its order, newest first. */
export function releasesIn(
  changelog: string,
): readonly { readonly version: string; readonly date: string | null }[] {
  return [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\](?: - (\d{4}-\d{2}-\d{2}))?/gm)].map(
    ([, version = "", date = null]) => ({ version, date }),
  )
}

function ownEntriesOf<Entry>(packages: Readonly<Record<string, Entry>>) {
  return Object.entries(packages).filter(
    ([path]) => path === "" || /^packages\/(?!.*\/node_modules\/)/.test(path),
  )
}

function pythonVersionIn(root: string): string | undefined {
  return PYTHON_VERSION.exec(readFileSync(join(root, PYTHON), "utf8"))?.[1]
}

function versionsOf(manifest: Manifest): readonly (readonly [string, string])[] {
  const dependencies = DEPENDENCIES.flatMap((kind) => Object.entries(manifest[kind] ?? {}))
  return [
    ["version", manifest.version ?? "missing"],
    ...dependencies.filter(([name]) => name.startsWith(OWN)),
  ]
}

function changed(manifest: unknown, version: string): Record<string, unknown> {
  const result = { ...objectSchema.parse(manifest), version }
  const kinds = DEPENDENCIES.filter((kind) => kind in result)
  const dependencies = kinds.map((kind) => {
    const listed = Object.entries(objectSchema.parse(objectSchema.parse(manifest)[kind]))
    return [
      kind,
      Object.fromEntries(listed.map(([name, wanted]) => [name, name.startsWith(OWN) ? version : wanted])),
    ] as const
  })
  return { ...result, ...Object.fromEntries(dependencies) }
}

function write(root: string, path: string, content: unknown): void {
  writeFileSync(join(root, path), `${JSON.stringify(content, null, 2)}\n`)
}
