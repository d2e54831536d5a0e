import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Ready, ROOT, type StartedProcess, startProgram, whenReady } from "../support/start.ts"

const PRELOAD = pathToFileURL(join(import.meta.dirname, "shift-whole-clock.mjs")).href

/**
 * Starts the service over a data folder, with a clock that starts at a time: what has expired since still exists.
 *
 * @param at epoch milliseconds
 */
export async function startAt(dataFolder: string, at: number): Promise<StartedProcess & { ready: Ready }> {
  const offsetFile = join(dataFolder, "..", "clock-offset")
  await writeFile(offsetFile, String(at - Date.now()))
  const preload = `${PRELOAD}?file=${encodeURIComponent(offsetFile)}`
  const service = [
    "packages/hosts/local/src/main.ts",
    "--json",
    "--port",
    "0",
    "--workers",
    "1",
    "--data",
    dataFolder,
  ]
  return whenReady(
    startProgram([process.execPath, "--import", preload, join(ROOT, "scripts", "run.mjs"), ...service]),
  )
}
