import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises"
import { constants, setPriority } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** JavaScript's memory of the process that builds. The bundler's own was 400 MB at most when this was written. */
const MAX_HEAP_MB = 256
const MAX_BUILD_MS = 120_000
const MAX_TOLD_CHARACTERS = 2_000

/** The dashboard could not be built. The message is for the log. */
export class DashboardBuildError extends Error {
  override readonly name = "DashboardBuildError"
}

/**
 * Builds the dashboard of the installed sources, unless the folder has it already, and removes those of other versions.
 * A separate process with low priority builds it, and it gets its name when it is complete.
 *
 * @param folder of all versions
 * @param build writes a dashboard into a folder. Default: the bundler, in a process with low priority
 * @returns where it is
 * @throws DashboardBuildError
 */
export async function ensureBuilt(
  folder: string,
  signal: AbortSignal,
  build: typeof runBuild = runBuild,
): Promise<string> {
  const { dashboardVersion } = await import("@sealway/dashboard/version")
  const version = await dashboardVersion()
  const place = join(folder, version)
  if (!(await isWhole(place))) {
    await mkdir(folder, { recursive: true })
    const draft = join(folder, `${version}.${process.pid}.draft`)
    try {
      await build(draft, signal)
      await rename(draft, place).catch(async () => {
        // Another service was faster, unless what is there is damaged.
        if (await isWhole(place)) return
        await rm(place, { recursive: true, force: true })
        await rename(draft, place)
      })
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }
  for (const name of await readdir(folder)) {
    // Drafts of this version are of other services.
    if (!name.startsWith(version)) await rm(join(folder, name), { recursive: true, force: true })
  }
  return place
}

/** Whether a folder has all of a build. After a power cut, files can be empty or missing although it got its name last. */
async function isWhole(place: string): Promise<boolean> {
  if (!existsSync(join(place, "index.html"))) return false
  const entries = await readdir(place, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const stats = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))))
  return stats.every(({ size }) => size > 0)
}

async function runBuild(draft: string, signal: AbortSignal): Promise<void> {
  const program = fileURLToPath(import.meta.resolve("@sealway/dashboard/build"))
  const { PATH, HOME, TMPDIR, TEMP, SystemRoot } = process.env
  const child = spawn(process.execPath, [`--max-old-space-size=${MAX_HEAP_MB}`, program, draft], {
    stdio: ["ignore", "ignore", "pipe"],
    // Nothing of what the service is configured with.
    env: { PATH, HOME, TMPDIR, TEMP, SystemRoot, NODE_ENV: "production" },
    signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_BUILD_MS)]),
    killSignal: "SIGKILL",
  })
  if (child.pid !== undefined) lowerPriority(child.pid)
  let told = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told = (told + text).slice(-MAX_TOLD_CHARACTERS)
  })
  try {
    const [code] = await once(child, "close")
    if (code !== 0) throw new DashboardBuildError(`The build ended with ${code}: ${told}`)
  } catch (error) {
    if (error instanceof DashboardBuildError) throw error
    throw new DashboardBuildError("The build did not finish.", { cause: error })
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It may have ended, or the system does not allow it.
  }
}
