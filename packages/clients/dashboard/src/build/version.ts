import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

const ROOT = join(import.meta.dirname, "../../../../..")

/** The packages whose sources are in the page. `test/architecture.test.ts` knows which ones it imports. */
const SOURCES = [
  "packages/clients/dashboard",
  "packages/clients/sdk",
  "packages/core/tokens",
  "packages/core/kernel",
]

/**
 * Returns the version of the page that the sources here build: a hash of all of them, which contain the exact versions of
 * libraries.
 */
export async function dashboardVersion(): Promise<string> {
  const hash = createHash("sha256")
  for (const source of SOURCES) {
    const folder = join(ROOT, source)
    const files = await readdir(join(folder, "src"), { recursive: true, withFileTypes: true })
    const paths = files
      .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name))
    const own = source === SOURCES[0] ? [join(folder, "index.html")] : []
    for (const path of [join(folder, "package.json"), ...own, ...paths.sort()]) {
      hash.update(`${path.slice(ROOT.length)}\0`)
      hash.update(await readFile(path))
    }
  }
  return hash.digest("hex").slice(0, 16)
}
