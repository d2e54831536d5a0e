import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type LocalServiceOptions, startLocalService } from "@sealway/local"
import { expect, test } from "vitest"
import { start, startReady, withFolder } from "../support/start.ts"

const serve = (dataFolder: string, options: Pick<LocalServiceOptions, "acceptLoss"> = {}) =>
  startLocalService({ port: 0, dataFolder, hosting: "container", ...options })

/** @returns the team's id and the content of the credentials file */
async function beginFolder(folder: string) {
  const service = await serve(folder)
  await service.close()
  const path = join(folder, "credentials.json")
  return { teamId: service.credentials.teamId, path, credentials: await readFile(path, "utf8") }
}

test.each([
  ["kms", "kms/keys.json is missing"],
  ["dynamodb", "dynamodb/tables.db is missing"],
])("refuses to start without %s, keeps the credentials, and starts afresh with acceptLoss", (part, reason) =>
  withFolder(async (folder) => {
    const { teamId, path, credentials } = await beginFolder(folder)
    await rm(join(folder, part), { recursive: true })
    await expect(serve(folder)).rejects.toThrow(reason)
    expect(await readFile(path, "utf8")).toBe(credentials)

    const again = await serve(folder, { acceptLoss: true })
    expect(again.credentials.teamId).not.toBe(teamId)
    expect(await readFile(join(again.lostTo ?? "", "credentials.json"), "utf8")).toBe(credentials)
    await again.close()
  }),
)

test("says in npm start how to start afresh, and where the rest is then", () =>
  withFolder(async (folder) => {
    const { credentials } = await beginFolder(folder)
    await rm(join(folder, "kms"), { recursive: true })
    const refused = start(["--json", "--port", "0", "--data", folder])
    expect(await refused.ended()).toBe(1)
    expect(refused.stdout()).toBe("")
    expect(refused.stderr()).toContain("--accept-loss")

    const again = await startReady(folder, ["--accept-loss"])
    const [, lostTo = ""] = /are in (\S+)\.\n/.exec(again.stderr()) ?? []
    expect(await readFile(join(lostTo, "credentials.json"), "utf8")).toBe(credentials)
    await again.stop()
  }))

test("refuses to start with the credentials of another team, and does not overwrite them", () =>
  withFolder(async (folder) => {
    const { path, credentials } = await beginFolder(folder)
    const others = JSON.stringify({ ...JSON.parse(credentials), teamId: "team_of_others" })
    await writeFile(path, others)
    await expect(serve(folder)).rejects.toThrow("another team")
    expect(await readFile(path, "utf8")).toBe(others)
  }))
