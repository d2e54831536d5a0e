import texts from "./runtime-sources.json" with { type: "json" }

/** What a function may be written in: a runtime and its version. */
export type FunctionRuntime = "node" | "python"

/** The folder in a function's zip that is Sealway's. A customer's files may not lie in it. */
export const RUNTIME_FOLDER = "__sealway__"

/** `Handler` of the Lambda, in both languages: `handler` in Sealway's wrapper, which calls the customer's. */
export const RUNTIME_HANDLER = `${RUNTIME_FOLDER}/runtime.handler`

const SOURCES = {
  node: ["runtime.mjs", "seal.mjs"],
  python: ["__init__.py", "runtime.py", "seal.py"],
} as const

/**
 * The files that go into a function's zip beside the customer's own, by their paths there.
 *
 * Their texts are imported from JSON rather than read from disk, so that they are in a bundle too; a test holds the JSON
 * to the files in `node/` and `python/` (`vitest run -u` writes it anew).
 *
 * @param handlerFile the customer's module, from the root of the zip, with `/` between folders
 */
export function runtimeFiles(runtime: FunctionRuntime, handlerFile: string): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>()
  for (const name of SOURCES[runtime]) {
    files.set(`${RUNTIME_FOLDER}/${name}`, Buffer.from(texts[name].join("\n")))
  }
  files.set(`${RUNTIME_FOLDER}/handler.json`, Buffer.from(JSON.stringify({ file: handlerFile })))
  return files
}
