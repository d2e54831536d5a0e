import { globSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import * as z from "zod"
import { PROJECT_ROOT } from "../../stacks/bundles/project-root.ts"

/**
 * What a package of the project depends on, directly or not, including itself: names, those of packages without scope.
 */
export interface Foundations {
  readonly packages: ReadonlySet<string>
  readonly libraries: ReadonlySet<string>
}

const SCOPE = "@sealway/"

const FOLDERS: ReadonlyMap<string, string> = new Map(
  globSync("packages/*/*/package.json", { cwd: PROJECT_ROOT }).map((manifest) => {
    const folder = dirname(manifest)
    return [basename(folder), folder]
  }),
)

/** Returns where a package of the project is: `packages/core/kernel`. */
export function folderOf(name: string): string {
  const folder = FOLDERS.get(name)
  if (folder === undefined) throw new Error(`There is no package ${name}`)
  return folder
}

const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()).default({}) })

/** Reads what the `dependencies` of a package lead to. */
export async function foundationsOf(name: string): Promise<Foundations> {
  const packages = new Set([name])
  const libraries = new Set<string>()
  const pending = [join(PROJECT_ROOT, folderOf(name))]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const { dependencies } = manifestSchema.parse(
      JSON.parse(await readFile(join(at, "package.json"), "utf8")),
    )
    for (const each of Object.keys(dependencies)) {
      const isOurs = each.startsWith(SCOPE)
      const found = isOurs ? packages : libraries
      const known = isOurs ? each.slice(SCOPE.length) : each
      if (found.has(known)) continue
      found.add(known)
      pending.push(isOurs ? join(PROJECT_ROOT, folderOf(known)) : await installedAt(each, at))
    }
  }
  return { packages, libraries }
}

/** Finds where Node.js finds a library that a folder's code imports. */
async function installedAt(name: string, from: string): Promise<string> {
  const nested = join(from, "node_modules", name)
  const isNested = await readdir(nested).then(
    () => true,
    () => false,
  )
  return isNested ? nested : join(PROJECT_ROOT, "node_modules", name)
}
