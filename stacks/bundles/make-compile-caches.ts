import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { argv, exit } from "node:process"
import { setFlagsFromString } from "node:v8"
import { Script } from "node:vm"
import { partsOf } from "./compile-cache.ts"

/**
 * `make-compile-caches.ts <folder> <script>...` imports a function and its libraries from a folder, as Lambda does, and
 * writes what V8 compiled on the way next to them. It runs once for each function: if several shared a process, what one of
 * them made V8 compile could be missing from the caches of the next.
 */
const [folder = "", ...files] = argv.slice(2)

const loaded = new Map<string, { readonly script: Script; readonly module: { readonly exports: object } }>()

function load(file: string): object {
  const known = loaded.get(file)
  if (known !== undefined) return known.module.exports
  const { code } = partsOf(file)
  // Its name becomes a part of the caches, and the folder has another one each time.
  const script = new Script(readFileSync(join(folder, code), "utf8"), { filename: code })
  const module = { exports: {} }
  loaded.set(file, { script, module })
  const path = join(folder, file)
  const requireOther = createRequire(path)
  const require = (id: string) => (id.startsWith("./") ? load(id.slice("./".length)) : requireOther(id))
  script.runInThisContext()(module.exports, require, module, path, folder)
  return module.exports
}

// Lambda's, for functions that stream.
Object.assign(globalThis, {
  awslambda: { streamifyResponse: (handler: unknown) => handler, HttpResponseStream: {} },
})
for (const file of files) load(file)
for (const [file, { script }] of loaded) {
  for (const { cache, flag } of partsOf(file).caches) {
    setFlagsFromString(flag)
    writeFileSync(join(folder, cache), script.createCachedData())
  }
}
// Without what the import left waiting.
exit()
