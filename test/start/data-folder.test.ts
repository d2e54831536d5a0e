import { chmod, lstat, readdir } from "node:fs/promises"
import { join, relative } from "node:path"
import { expect, test } from "vitest"
import { codeOf } from "../support/functions.ts"
import { basic } from "../support/service.ts"
import { type Ready, ROOT, startProgram, whenReady, withFolder } from "../support/start.ts"

const WITHOUT_UMASK = [
  "/bin/sh",
  "-c",
  'umask 0; exec "$0" "$@"',
  process.execPath,
  join(ROOT, "scripts", "run.mjs"),
]

test.skipIf(process.platform === "win32")(
  "keeps the data folder readable by its owner only, with any umask, and closes one that was open before",
  () =>
    withFolder(async (parent) => {
      const folder = join(parent, "data")
      const first = await startWithoutUmask(folder)
      await use(first.ready)
      expect(await openToOthers(folder)).toEqual([])
      expect(await lstat(join(folder, "lambda"))).toBeDefined()
      await first.stop("SIGKILL")

      for (const path of await allOf(folder)) {
        if (!path.endsWith("master-key")) await chmod(path, (await lstat(path)).isDirectory() ? 0o777 : 0o666)
      }
      const second = await startWithoutUmask(folder)
      await use(second.ready)
      expect(await openToOthers(folder)).toEqual([])
      await second.stop()
      expect(await openToOthers(folder)).toEqual([])
    }),
)

async function startWithoutUmask(folder: string) {
  const args = [
    "packages/hosts/local/src/main.ts",
    "--json",
    "--port",
    "0",
    "--workers",
    "1",
    "--data",
    folder,
  ]
  return whenReady(startProgram([...WITHOUT_UMASK, ...args]))
}

/** Leaves something in every part of the data folder. */
async function use({ url, apps: [sandbox] }: Ready): Promise<void> {
  const headers = {
    "content-type": "application/json",
    authorization: basic({ user: sandbox?.id ?? "", key: sandbox?.apiKey ?? "" }),
  }
  const code = codeOf({ "index.mjs": "export const handler = () => 1" })
  const body = JSON.stringify({ name: "hello", language: "node@24", handler: "index.mjs", code })
  const deployed = await fetch(`${url}/functions`, { method: "POST", headers, body })
  expect(deployed.status).toBe(202)
  await expect
    .poll(async () => (await fetch(`${url}/functions/hello`, { headers })).json(), { timeout: 20_000 })
    .toMatchObject({ status: "ready" })
}

/** Paths that the group or other users may read, write or enter, with their permissions. */
async function openToOthers(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const path of await allOf(folder)) {
    const { mode } = await lstat(path)
    if ((mode & 0o077) !== 0) found.push(`${relative(folder, path)} ${(mode & 0o777).toString(8)}`)
  }
  return found
}

async function allOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true })
  return [folder, ...entries.map((entry) => join(folder, entry))]
}
