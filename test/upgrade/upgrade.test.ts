import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb"
import { type EmbeddedCloud, startEmbeddedCloud } from "@sealway/local"
import { TABLES } from "@sealway/platform"
import { unzipSync } from "fflate"
import { describe, expect, test } from "vitest"
import { basic } from "../support/service.ts"
import { type Ready, startReady, withFolder } from "../support/start.ts"

/** What `make-data-folder.ts` wrote with that version. */
const FOLDERS = ["data-folder-0.1.0.zip"]

interface Expected {
  readonly token: unknown
  /** By path. */
  readonly answers: Readonly<Record<string, unknown>>
  /** By table, as DynamoDB's API spells them. */
  readonly items: Readonly<Record<string, readonly Item[]>>
}

type Item = Readonly<Record<"pk" | "sk", { S: string }>>

describe.each(FOLDERS)("the data folder of an earlier version, %s", (zip) => {
  test("is read as a whole: apps, keys, roles, relays, functions and the audit log", () =>
    withCopy(zip, async (folder, expected) => {
      const { ready, stop, stderr } = await startReady(folder)
      const call = callerOf(ready)

      const answers = await Promise.all(
        Object.keys(expected.answers).map(async (path) => [path, await call(path)] as const),
      )
      // Later versions answer more, and warn of more.
      expect(comparable(Object.fromEntries(answers))).toMatchObject(Object(comparable(expected.answers)))
      expect(await call("/decrypt", expected.token)).toEqual({ name: "Ada", card: "4242424242424242" })
      expect(await call("/functions/double/runs", { payload: { n: 21 } })).toMatchObject({
        status: "success",
        result: { twice: 42 },
      })
      await stop()
      expect(stderr()).toBe("")
    }))

  test("keeps every record of every table, and the LevelDB beside them", () =>
    withCopy(zip, async (folder, expected) => {
      const before = await readdir(join(folder, "dynamodb"))
      await withCloud(folder, (cloud) => expectItems(cloud, expected))

      expect((await readdir(join(folder, "dynamodb-leveldb"))).sort()).toEqual(
        expect.arrayContaining(before.filter((name) => /CURRENT|ldb$/.test(name))),
      )
      expect(await readdir(join(folder, "dynamodb"))).toEqual(["tables.db"])
      // And once more, from the new database alone.
      await rm(join(folder, "dynamodb-leveldb"), { recursive: true })
      await withCloud(folder, (cloud) => expectItems(cloud, expected))
    }))

  test.each([
    [
      "while it was copied",
      async (folder: string) => {
        await mkdir(join(folder, "dynamodb"))
        await writeFile(join(folder, "dynamodb", "tables.db.tmp"), "half of a database")
        await writeFile(join(folder, "dynamodb", "tables.db.tmp-journal"), "half of a journal")
      },
    ],
    ["before it was copied", async () => undefined],
  ])("is moved again from the beginning when that was interrupted %s", (_, leave) =>
    withCopy(zip, async (folder, expected) => {
      await rename(join(folder, "dynamodb"), join(folder, "dynamodb-migrating"))
      await leave(folder)

      await withCloud(folder, (cloud) => expectItems(cloud, expected))

      expect(await readdir(join(folder, "dynamodb"))).toEqual(["tables.db"])
      expect((await stat(join(folder, "dynamodb-leveldb"))).isDirectory()).toBe(true)
    }),
  )

  test("is not read twice when the end of the move was interrupted", () =>
    withCopy(zip, async (folder, expected) => {
      await withCloud(folder, async () => undefined)
      await rename(join(folder, "dynamodb-leveldb"), join(folder, "dynamodb-migrating"))
      await rm(join(folder, "dynamodb-migrating", "CURRENT"))

      await withCloud(folder, (cloud) => expectItems(cloud, expected))

      expect((await stat(join(folder, "dynamodb-leveldb"))).isDirectory()).toBe(true)
    }))

  test("is refused with data-folder-unusable, and left as it is, when its LevelDB is damaged", () =>
    withCopy(zip, async (folder, expected) => {
      const manifest =
        (await readdir(join(folder, "dynamodb"))).find((name) => name.startsWith("MANIFEST")) ?? ""
      const content = await readFile(join(folder, "dynamodb", manifest))
      await rm(join(folder, "dynamodb", manifest))

      await expect(withCloud(folder, async () => undefined)).rejects.toMatchObject({
        code: "data-folder-unusable",
      })

      expect(await readdir(join(folder, "dynamodb"))).not.toContain("tables.db")
      await writeFile(join(folder, "dynamodb-migrating", manifest), content)
      await withCloud(folder, (cloud) => expectItems(cloud, expected))
    }))
})

/** A copy of the folder that its owner alone can read, as it was. */
async function withCopy(
  zip: string,
  use: (folder: string, expected: Expected) => Promise<void>,
): Promise<void> {
  const entries = unzipSync(await readFile(join(import.meta.dirname, zip)))
  await withFolder(async (folder) => {
    for (const [name, content] of Object.entries(entries)) {
      if (!name.startsWith("data/")) continue
      const path = join(folder, name.slice("data/".length))
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(path, content, { mode: 0o600 })
    }
    const expected: Expected = JSON.parse(Buffer.from(entries["expected.json"] ?? []).toString())
    await use(folder, expected)
  })
}

async function withCloud(dataFolder: string, use: (cloud: EmbeddedCloud) => Promise<void>): Promise<void> {
  const cloud = await startEmbeddedCloud({ dataFolder, tables: TABLES.map(withoutExpiry), queues: [] })
  await use(cloud).finally(() => cloud.close())
}

/** Records that have expired since would be removed. */
function withoutExpiry(table: (typeof TABLES)[number]) {
  return { ...table, timeToLiveAttribute: null }
}

async function expectItems({ region, credentials, endpoints }: EmbeddedCloud, { items }: Expected) {
  const client = new DynamoDBClient({ region, credentials, endpoint: endpoints.dynamodb })
  for (const [TableName, expected] of Object.entries(items)) {
    expect(expected.length).toBeGreaterThan(0)
    for (const item of expected) {
      const { pk, sk } = item
      const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk, sk } }))
      // Bytes as JSON has them.
      expect(JSON.parse(JSON.stringify(Item))).toEqual(item)
    }
  }
  client.destroy()
}

function callerOf({ url, teamId, teamKey, apps: [sandbox] }: Ready) {
  return async (path: string, body?: unknown): Promise<unknown> => {
    const isTeams = /^\/(team|apps|audit-logs)/.test(path)
    const auth = isTeams
      ? { user: teamId, key: teamKey }
      : { user: sandbox?.id ?? "", key: sandbox?.apiKey ?? "" }
    const response = await fetch(`${url}${path}${body === undefined ? "?limit=100" : ""}`, {
      headers: { authorization: basic(auth), "content-type": "application/json" },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    })
    return response.json()
  }
}

/** When keys were used last, which asking changes. */
function comparable(answers: unknown): unknown {
  const varies = new Set(["lastUsedAt", "warnings"])
  // What a route or a selection does not have was null once, and is left out now.
  const isLeftOut = (name: string, value: unknown) => value === null && (name === "method" || name === "role")
  return JSON.parse(
    JSON.stringify(answers, (name, value) =>
      varies.has(name) || isLeftOut(name, value) ? undefined : value,
    ),
  )
}
