import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { argv, exit } from "node:process"
import { setFlagsFromString } from "node:v8"
import { Script } from "node:vm"
import { CACHES, CODE_FILE } from "./compile-cache.ts"
import { FUNCTION_FILE } from "./function-bundle.ts"

/**
 * `make-compile-caches.ts <folder>` imports the function whose code is in a folder, as Lambda does, and writes what V8 has
 * compiled by then next to it. Each function has a process of its own: what another one left compiled would not be in its
 * caches.
 */
const [folder = ""] = argv.slice(2)
const filename = join(folder, CODE_FILE)
// Its name becomes a part of the caches, and this folder has another one each time.
const script = new Script(readFileSync(filename, "utf8"), { filename: CODE_FILE })
// Lambda's, for functions that stream.
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: { from: (stream: unknown) => stream },
  },
})
const module = { exports: {} }
script.runInThisContext()(
  module.exports,
  createRequire(filename),
  module,
  join(folder, FUNCTION_FILE),
  folder,
)
for (const { file, flag } of CACHES) {
  setFlagsFromString(flag)
  writeFileSync(join(folder, file), script.createCachedData())
}
// Without what the import left waiting.
exit()
