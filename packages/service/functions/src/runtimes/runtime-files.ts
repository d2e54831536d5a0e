import type { Language } from "@sealway/ports"
import texts from "./runtime-sources.json" with { type: "json" }

/** What runs a function: the same wrapper for all versions of a language. */
export type FunctionRuntime = "node" | "python"

/** Returns the runtime of a language. */
export function runtimeOf(language: Language): FunctionRuntime {
  return language.startsWith("node") ? "node" : "python"
}

/** Sealway's folder in a function's zip. A customer's files must not be in it. */
export const RUNTIME_FOLDER = "__sealway__"

/**
 * The `handler` of the program, in both languages: `handler` in Sealway's wrapper, which calls the customer's.
 */
export const RUNTIME_HANDLER = `${RUNTIME_FOLDER}/runtime.handler`

const SOURCES = {
  node: ["runtime.mjs", "seal.mjs", "silence.mjs"],
  python: ["__init__.py", "runtime.py", "seal.py", "silence.py"],
} as const

/**
 * Returns the files to add to a function's zip, by path.
 *
 * Their texts are imported from JSON rather than read from disk, so that bundles include them; a test compares the JSON
 * with the files in `node/` and `python/` (`vitest run -u` updates it).
 *
 * @param handlerFile the customer's module, relative to the root of the zip, with `/` between folders
 */
export function runtimeFiles(runtime: FunctionRuntime, handlerFile: string): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>()
  for (const name of SOURCES[runtime]) {
    files.set(`${RUNTIME_FOLDER}/${name}`, Buffer.from(texts[name].join("\n")))
  }
  files.set(`${RUNTIME_FOLDER}/handler.json`, Buffer.from(JSON.stringify({ file: handlerFile })))
  return files
}
