import { globSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { ENDPOINTS } from "@sealway/api"
import { grantsOf } from "@sealway/http"
import type { Grant } from "@sealway/ports"
import { PROJECT_ROOT } from "./project-root.ts"

/** A Lambda function, before it is bundled. */
export interface FunctionEntry {
  /** See `FunctionBundle`. */
  readonly functionName: string
  /** TypeScript that exports `handler`. */
  readonly source: string
  /** What its role allows; null when that is not known here. */
  readonly grants: readonly Grant[] | null
}

/** An export of a file. */
interface Export {
  readonly file: string
  readonly name: string
  readonly value: unknown
}

const API = join(PROJECT_ROOT, "packages/hosts/api/src")

/**
 * Finds one for each endpoint of the service and for each of the other functions, where they are: none is listed here.
 */
export async function findFunctions(): Promise<readonly FunctionEntry[]> {
  const exports = await readEndpointExports()
  const endpoints = Object.entries(ENDPOINTS).flatMap(([area, declared]) =>
    declared.map((endpoint) => ({
      functionName: endpoint.id,
      source: endpointSource(area, onlyExport(exports, endpoint), endpoint.method === "GET"),
      grants: grantsOf(endpoint),
    })),
  )
  const others = (await sourcesOf(join(API, "lambda", "functions"))).map((file) => ({
    functionName: basename(file, ".ts"),
    source: otherSource(file),
    grants: null,
  }))
  const found = [...endpoints, ...others].sort((a, b) => (a.functionName < b.functionName ? -1 : 1))
  const twice = found.find(({ functionName }, index) => functionName === found[index + 1]?.functionName)
  if (twice !== undefined) throw new Error(`Two functions are named ${twice.functionName}`)
  return found
}

/**
 * Returns an import of an endpoint from the file that declares it: its package's list would bring all the others along,
 * which no bundler can separate in an array.
 */
function endpointSource(area: string, { file, name }: Export, isReading: boolean): string {
  const [serve, served] = isReading
    ? ["serveReadingEndpoint", "serve-reading-endpoint.ts"]
    : ["serveEndpoint", "serve-endpoint.ts"]
  return [
    `import { ${name} as endpoint } from ${JSON.stringify(file)}`,
    `import { createDependencies } from ${JSON.stringify(join(API, "wiring", `${area}.ts`))}`,
    `import { ${serve} } from ${JSON.stringify(join(API, "lambda", served))}`,
    `export const handler = ${serve}(endpoint, createDependencies, process.env)`,
  ].join("\n")
}

function otherSource(file: string): string {
  return [`import { start } from ${JSON.stringify(file)}`, "export const handler = start(process.env)"].join(
    "\n",
  )
}

/** Reads all exports of the packages' endpoint folders. */
async function readEndpointExports(): Promise<readonly Export[]> {
  const found: Export[] = []
  for (const folder of globSync("packages/*/*/src/endpoints", { cwd: PROJECT_ROOT }).sort()) {
    for (const file of await sourcesOf(join(PROJECT_ROOT, folder))) {
      const module: Record<string, unknown> = await import(pathToFileURL(file).href)
      for (const [name, value] of Object.entries(module)) found.push({ file, name, value })
    }
  }
  return found
}

function onlyExport(exports: readonly Export[], endpoint: { readonly id: string }): Export {
  const [only, ...others] = exports.filter(({ value }) => value === endpoint)
  if (only === undefined)
    throw new Error(`No file of an endpoints folder exports the endpoint ${endpoint.id}`)
  if (others.length > 0) throw new Error(`More than one file exports the endpoint ${endpoint.id}`)
  return only
}

/** Returns the TypeScript files of a folder, except tests. */
async function sourcesOf(folder: string): Promise<string[]> {
  return (await readdir(folder))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .sort()
    .map((file) => join(folder, file))
}
