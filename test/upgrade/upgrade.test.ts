import { createHash } from "node:crypto"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type EmbeddedCloud, startEmbeddedCloud } from "@sealway/local"
import { unzipSync } from "fflate"
import { Webhook } from "standardwebhooks"
import { describe, expect, test } from "vitest"
import { run } from "../cli/cli.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { start, startReady, withFolder } from "../support/start.ts"
import { callerOf } from "./call.ts"
import { type ExpectedAnswers, type Item, parseItem } from "./expected.ts"
import { startReceiver } from "./receiver.ts"
import { startAt } from "./start-at.ts"
import { withoutExpiry } from "./without-expiry.ts"

/** Written by `make-data-folder.ts`, each with that version. */
const FOLDERS = (await readdir(import.meta.dirname))
  .filter((name) => /^data-folder-.*\.zip$/.test(name))
  .sort()

describe.each(FOLDERS)("the data folder of an earlier version, %s", (zip) => {
  test("is read as a whole: apps, keys, roles, relays, functions and the audit log", () =>
    withCopy(zip, async (folder, expected) => {
      const { ready, stop, stderr } = await startReady(folder)
      const call = callerOf(ready)

      await expectAnswers(call, expected.answers)
      const opened = await call("POST", "/decrypt", expected.token)
      expect(JSON.parse(opened.text)).toEqual({ name: "Ada", card: "4242424242424242" })
      const ran = await call("POST", "/functions/double/runs", { payload: { n: 21 } })
      expect(JSON.parse(ran.text)).toMatchObject({ status: "success", result: { twice: 42 } })
      await stop()
      expect(stderr()).toBe("")
    }))

  test("keeps every record of every table", () =>
    withCopy(zip, (folder, expected) => withCloud(folder, (cloud) => expectItems(cloud, expected))))
})

describe("the newest of these data folders", () => {
  const zip = FOLDERS.at(-1) ?? ""

  test("can be read by a release that knows less: unknown fields of records change nothing", () =>
    withCopy(zip, async (folder, expected) => {
      await withCloud(folder, (cloud) => addToItems(cloud, expected))
      const { ready, stop, stderr } = await startReady(folder)
      await expectAnswers(callerOf(ready), expected.answers)
      const opened = await callerOf(ready)("POST", "/decrypt", expected.token)
      expect(JSON.parse(opened.text)).toEqual({ name: "Ada", card: "4242424242424242" })
      await stop()
      expect(stderr()).toBe("")
    }))

  test(
    "is backed up and restored, and opens what was sealed after the backup, since its keys are older",
    () =>
      withCopy(zip, async (folder) => {
        const sealway = (...args: string[]) =>
          run(["data", ...args], { folder: dirname(folder), stdin: "correct horse battery staple" })
        const later = await startReady(folder)
        expect(await sealway("backup", "backup", "--data", folder)).toMatchObject({ exitCode: 0 })
        const sealed = await callerOf(later.ready)("POST", "/encrypt", { card: "4242424242424242" })
        await later.stop()

        expect(await sealway("restore", "backup", "restored")).toMatchObject({ exitCode: 0 })
        expect((await sealway("check", "restored", "--json")).json()).toMatchObject({ ok: true })
        const restored = await startReady(join(dirname(folder), "restored"))
        const opened = await callerOf(restored.ready)("POST", "/decrypt", JSON.parse(sealed.text))
        expect(JSON.parse(opened.text)).toEqual({ card: "4242424242424242" })
        await restored.stop()
      }),
    60_000,
  )
})

describe.each(FOLDERS)("at the time when the service of an earlier version stopped, %s", (zip) => {
  test(
    "everything in users' hands still works: tokens, keys, client tokens, runs, relays, webhooks and logs",
    () =>
      withCopy(zip, async (folder, { kept }) => {
        await using receiver = await startReceiver()
        const { ready, stop, stderr } = await startAt(folder, kept.madeAt)
        const call = callerOf(ready)
        const post = async (path: string, body: unknown, options = {}) => {
          const { status, text } = await call("POST", path, body, options)
          return { status, body: text === "" ? null : JSON.parse(text) }
        }

        await expectAnswers(call, kept.expiring)

        for (const { name, token, opened, fingerprint } of kept.sealed) {
          const answer = await call("POST", "/decrypt", token)
          expect([answer.status, answer.text], name).toEqual([200, opened])
          // A later version may show more of a card number.
          expect((await post("/fingerprint", { token })).body, name).toMatchObject(fingerprint)
          const rewrapped = await post("/rewrap", token)
          expect((await call("POST", "/decrypt", rewrapped.body)).text, name).toBe(opened)
        }
        const binary = { headers: { "content-type": "application/octet-stream" } }
        const file = await call("POST", "/decrypt", Buffer.from(kept.file.sealed, "base64"), binary)
        expect(file.bytes.equals(Buffer.from(kept.file.opened, "base64"))).toBe(true)
        expect(await post("/decrypt", kept.forbiddenToken)).toMatchObject({
          status: 403,
          body: { code: "decrypt/forbidden" },
        })

        const [{ id: user } = { id: "" }] = ready.apps
        for (const { name, key, status } of kept.keys) {
          const answer = await post("/decrypt", kept.clientToken.payload, { auth: { user, key } })
          expect(answer.status, name).toBe(status)
        }
        const byTeamKey = await call("GET", "/team", undefined, {
          auth: { user: ready.teamId, key: kept.teamKey },
        })
        expect(byTeamKey.status).toBe(200)

        const { clientToken, runToken } = kept
        const bearer = (scheme: string, token: string) => ({
          auth: null,
          headers: { authorization: `${scheme} ${token}` },
        })
        const byToken = bearer("Token", clientToken.token)
        expect(await post("/decrypt", clientToken.payload, byToken)).toEqual({
          status: 200,
          body: { card: "4242424242424242" },
        })
        expect((await post("/decrypt", kept.sealed[0]?.token, byToken)).status).toBe(403)
        const runs = [1, 2].map(() =>
          post("/functions/double/runs", { payload: runToken.payload }, bearer("RunToken", runToken.token)),
        )
        expect((await Promise.all(runs)).map(({ status }) => status).sort()).toEqual([200, 403])

        const repeated = await call("POST", "/data-roles", kept.repeatable.body, {
          headers: { "idempotency-key": kept.repeatable.key },
        })
        expect(repeated.headers.get("idempotency-replayed")).toBe("true")
        expect(JSON.parse(repeated.text)).toEqual(kept.repeatable.answer)

        const scheduled = await call("POST", "/functions/double/runs", { payload: { n: 4 }, async: true })
        await expect
          .poll(async () => JSON.parse((await call("GET", scheduled.headers.get("location") ?? "")).text))
          .toMatchObject({ status: "success", result: { twice: 8 } })

        const sent = await sendToRelay(ready.relayUrl, {
          relayDomain: kept.relayDomain,
          headers: { "content-type": "application/json" },
          body: '{"card":"4242424242424242"}',
        })
        expect([sent.status, sent.body.toString()]).toEqual([
          200,
          expect.stringMatching(/^\{"card":"ev:[^"]+:\$"\}$/),
        ])
        expect(await (await fetch(ready.caUrl)).text()).toBe(kept.authority)

        expect((await post(`/webhook-endpoints/${kept.webhook.id}/test`, {})).status).toBeLessThan(300)
        await expect.poll(() => receiver.received.filter(({ path }) => path === "/kept")).toHaveLength(1)
        const [delivery] = receiver.received.filter(({ path }) => path === "/kept")
        const signed = Object.fromEntries(
          Object.entries(delivery?.headers ?? {}).map(([name, value]) => [name, String(value)]),
        )
        // The library refuses what is older than five minutes by this machine's clock, so only the signature is compared.
        const at = new Date(Number(signed["webhook-timestamp"]) * 1_000)
        expect(
          new Webhook(kept.webhook.secret).sign(signed["webhook-id"] ?? "", at, delivery?.body ?? ""),
        ).toBe(signed["webhook-signature"])

        const verified = await run(["audit", "verify", "--anchor", kept.auditHead], {
          env: { SEALWAY_URL: ready.url, SEALWAY_TEAM_KEY: kept.teamKey },
        })
        expect(verified).toMatchObject({ exitCode: 0 })
        await stop()
        expect(stderr()).toBe("")
      }),
    60_000,
  )

  test("is refused by an earlier release with one clear line, and nothing in it is changed", () =>
    withCopy(zip, async (folder) => {
      const path = join(folder, "manifest.json")
      const manifest = JSON.parse(await readFile(path, "utf8"))
      await writeFile(path, JSON.stringify({ ...manifest, openedBy: "99.1.0" }))
      const before = await contentOf(folder)

      for (const options of [[], ["--accept-loss"]]) {
        const refused = start(["--json", "--port", "0", "--data", folder, ...options])
        expect(await refused.ended()).toBe(1)
        expect(refused.stdout()).toBe("")
        expect(refused.stderr()).toMatch(
          /^The data folder was used by Sealway 99\.1\.0, [^\n]+ restore a backup [^\n]+\n$/,
        )
      }
      const backup = await run(["data", "backup", "file", "--data", folder], {
        folder: dirname(folder),
        stdin: "correct horse battery staple",
      })
      expect(backup).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("used by Sealway 99.1.0") })

      expect(await contentOf(folder)).toEqual(before)
    }))
})

/** Runs with an unchanged copy of the folder that only its owner can read. */
async function withCopy(
  zip: string,
  use: (folder: string, expected: ExpectedAnswers) => Promise<void>,
): Promise<void> {
  const entries = unzipSync(await readFile(join(import.meta.dirname, zip)))
  await withFolder(async (parent) => {
    const folder = join(parent, "data")
    for (const [name, content] of Object.entries(entries)) {
      if (!name.startsWith("data/")) continue
      const path = join(folder, name.slice("data/".length))
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(path, content, { mode: 0o600 })
    }
    const expected: ExpectedAnswers = JSON.parse(Buffer.from(entries["expected.json"] ?? []).toString())
    await use(folder, expected)
  })
}

async function withCloud(dataFolder: string, use: (cloud: EmbeddedCloud) => Promise<void>): Promise<void> {
  const cloud = await startEmbeddedCloud({ dataFolder, tables: await withoutExpiry(dataFolder), queues: [] })
  await use(cloud).finally(() => cloud.close())
}

/** Adds the fields that a later release might to each record. */
async function addToItems({ database }: EmbeddedCloud, { items }: ExpectedAnswers) {
  for (const [name, records] of Object.entries(items)) {
    for (const record of records) {
      const item = { ...JSON.parse(await textOf(database, name, record)), ofLaterRelease: { S: "x" } }
      await database.write({ kind: "put", table: name, item })
    }
  }
}

async function expectItems({ database }: EmbeddedCloud, { items }: ExpectedAnswers) {
  for (const [name, expected] of Object.entries(items)) {
    expect(expected.length).toBeGreaterThan(0)
    for (const item of expected) {
      expect(parseItem(await textOf(database, name, item))).toEqual(item)
    }
  }
}

/** Returns a stored record as DynamoDB's API spells it; `null` when it is missing. */
async function textOf(database: EmbeddedCloud["database"], table: string, { pk, sk }: Item): Promise<string> {
  return (await database.get({ table, pk: pk.S, sk: sk.S })) ?? "null"
}

/** Expects the answers: later versions return more, and warn of more. */
async function expectAnswers(
  call: ReturnType<typeof callerOf>,
  expected: ExpectedAnswers["answers"],
): Promise<void> {
  const answers = await Promise.all(
    Object.keys(expected).map(
      async (path) => [path, JSON.parse((await call("GET", `${path}?limit=100`)).text)] as const,
    ),
  )
  expect(comparable(Object.fromEntries(answers))).toMatchObject(Object(comparable(expected)))
}

/** Without the lock by which a process holds the folder: it has no content. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((each) => each.isFile() && !each.name.startsWith("lock"))
    .map((each) => join(each.parentPath, each.name))
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, hashOf(await readFile(file))] as const)),
  )
}

function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex")
}

/** Leaves out when keys were used last, which the request changes. */
function comparable(answers: unknown): unknown {
  const varies = new Set(["lastUsedAt", "warnings"])
  return JSON.parse(JSON.stringify(answers, (name, value) => (varies.has(name) ? undefined : value)))
}
