import { execFile } from "node:child_process"
import { rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { env, pid } from "node:process"
import { promisify } from "node:util"
import { ROOT } from "../../support/start.ts"

const run = promisify(execFile)
const PACKAGE = "evervault==5.1.3"
const FOLDER = join(ROOT, "node_modules/.cache/evervault-python")
const TIMEOUT = { timeout: 120_000 }

/**
 * Returns a Python that has the vendor's package: the one in EVERVAULT_PYTHON, or an own one, into which it is installed
 * from PyPI the first time; null when neither is possible.
 */
export async function findPython(): Promise<string | null> {
  const own = join(FOLDER, "bin/python")
  for (const python of [env.EVERVAULT_PYTHON, own]) {
    if (python !== undefined && (await hasPackage(python))) return python
  }
  // Aside, because other test files may install it at the same time.
  const aside = `${FOLDER}-${pid}`
  const python = join(aside, "bin/python")
  try {
    await run("python3", ["-m", "venv", aside], TIMEOUT)
    await run(python, ["-m", "pip", "install", "--quiet", "--retries", "0", PACKAGE], TIMEOUT)
    await rename(aside, FOLDER)
  } catch {
    await rm(aside, { recursive: true, force: true })
  }
  return (await hasPackage(own)) ? own : null
}

const hasPackage = (python: string): Promise<boolean> =>
  run(python, ["-c", "import evervault"], TIMEOUT).then(
    () => true,
    () => false,
  )
