import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import * as z from "zod"
import { PROJECT_ROOT } from "../../stacks/bundles/project-root.ts"
import type { DeployedService } from "./service.ts"

/** Two parts of an upload, the second not full. */
const FILE_BYTES = 9 * 1024 * 1024

/**
 * Uploads a file with the command line, by URLs that the service has signed for S3, and downloads it again.
 *
 * @param folder an empty one
 */
export async function checkFiles({ apiKey, url }: DeployedService, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const [original, copy] = [join(folder, "original"), join(folder, "copy")]
  const content = randomBytes(FILE_BYTES)
  await writeFile(original, content)
  const sealway = async (...args: readonly string[]) => {
    const command = [join("packages", "clients", "cli", "bin", "sealway.mjs"), "files", ...args]
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      cwd: PROJECT_ROOT,
      env: { ...process.env, SEALWAY_URL: url, SEALWAY_API_KEY: apiKey },
    })
    return stdout
  }
  const { id } = z.object({ id: z.string() }).parse(JSON.parse(await sealway("upload", original, "--json")))
  await sealway("download", id, "-o", copy)
  assert.ok(content.equals(await readFile(copy)), "The file is not the same after it was stored.")
}
