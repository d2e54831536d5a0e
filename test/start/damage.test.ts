import { copyFile, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type LocalService, startLocalService } from "@sealway/local"
import { expect, test } from "vitest"
import { withFolder } from "../support/start.ts"

interface Damage {
  readonly file: string
  readonly damage: (path: string) => Promise<void>
  /** What the message says. */
  readonly advice: string
  /** Does what it says. */
  readonly follow: (path: string, backup: string) => Promise<void>
}

const remove = (path: string) => rm(path)
const restore = (path: string, backup: string) => copyFile(backup, path)
const cutShort = (path: string) => truncate(path, 20)
const ofOthers = async (path: string) => {
  const credentials: object = JSON.parse(await readFile(path, "utf8"))
  await writeFile(path, JSON.stringify({ ...credentials, teamId: "team_of_others" }))
}

const DAMAGES: readonly Damage[] = [
  {
    file: "credentials.json",
    damage: cutShort,
    advice: "or remove it: the next start issues new keys",
    follow: remove,
  },
  { file: "credentials.json", damage: ofOthers, advice: "remove credentials.json", follow: remove },
  {
    file: "manifest.json",
    damage: cutShort,
    advice: "If only this file is damaged, remove it",
    follow: remove,
  },
  { file: "kms/keys.json", damage: cutShort, advice: "Restore kms/keys.json from a backup", follow: restore },
  { file: "kms/master-key", damage: cutShort, advice: "Restore it from a backup", follow: restore },
  {
    file: "kms/master-key",
    damage: remove,
    advice: "Restore what is missing from a backup",
    follow: restore,
  },
]

test("goes on with all data after a file beside the tables was damaged, once the advice of the message is followed", () =>
  withFolder(async (folder) => {
    const serve = () => startLocalService({ port: 0, dataFolder: folder, hosting: "container" })
    const first = await serve()
    const { teamId, apps } = first.credentials
    const apiKey = apps[0]?.apiKey ?? ""
    const token = await post(first, apiKey, "/encrypt", '"Ada"')
    await first.close()

    for (const { file, damage, advice, follow } of DAMAGES) {
      const path = join(folder, file)
      const backup = join(folder, "..", "backup")
      const manifest = join(folder, "manifest.json")
      const stoppedAt = async () => JSON.parse(await readFile(manifest, "utf8")).lastCleanStopAt
      const stopped = await stoppedAt()
      await copyFile(path, backup)
      await damage(path)
      await expect(serve(), file).rejects.toMatchObject({
        code: expect.any(String),
        message: expect.stringContaining(advice),
      })
      if (path !== manifest) expect(await stoppedAt(), file).toBe(stopped)
      await follow(path, backup)
      const again = await serve()
      expect(again.credentials.teamId, file).toBe(teamId)
      expect(await post(again, apiKey, "/decrypt", token), file).toBe('"Ada"')
      await again.close()
    }
  }))

async function post({ url }: LocalService, apiKey: string, path: string, body: string): Promise<string> {
  const headers = { "api-key": apiKey, "content-type": "application/json" }
  const response = await fetch(new URL(path, url), { method: "POST", headers, body })
  return response.text()
}
