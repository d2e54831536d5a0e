import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { start, startReady, withFolder } from "../support/start.ts"

test.each([
  ["kms", "kms/keys.json is missing"],
  ["dynamodb", "dynamodb/tables.db is missing"],
])(
  "refuses to start without %s, keeps the credentials, and begins again with --accept-loss",
  (part, reason) =>
    withFolder(async (folder) => {
      const first = await startReady(folder)
      await first.stop()
      const credentials = await readFile(join(folder, "credentials.json"), "utf8")
      await rm(join(folder, part), { recursive: true })

      const refused = start(["--json", "--port", "0", "--data", folder])
      expect(await refused.ended()).toBe(1)
      expect(refused.stdout()).toBe("")
      expect(refused.stderr()).toContain(reason)
      expect(refused.stderr()).toContain("--accept-loss")
      expect(await readFile(join(folder, "credentials.json"), "utf8")).toBe(credentials)

      const again = await startReady(folder, ["--accept-loss"])
      expect(again.ready.teamId).not.toBe(first.ready.teamId)
      const [, lostTo = ""] = /is in (\S+)\.\n/.exec(again.stderr()) ?? []
      expect(await readFile(join(lostTo, "credentials.json"), "utf8")).toBe(credentials)
      await again.stop()
    }),
)

test("refuses to start with the credentials of another team, and does not overwrite them", () =>
  withFolder(async (folder) => {
    await (await startReady(folder)).stop()
    const path = join(folder, "credentials.json")
    const credentials = JSON.parse(await readFile(path, "utf8"))
    const others = JSON.stringify({ ...credentials, teamId: "team_of_others" })
    await writeFile(path, others)

    const refused = start(["--json", "--port", "0", "--data", folder])
    expect(await refused.ended()).toBe(1)
    expect(refused.stderr()).toContain("another team")
    expect(await readFile(path, "utf8")).toBe(others)
  }))
