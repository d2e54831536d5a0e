import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { auditRecordSchema, linkAuditRecord } from "@sealway/records/audit-chain"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { useService } from "../support/service.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
const sealway = (args: readonly string[], options?: CliOptions) => runAgainst(service, args, options)

const blockSchema = z.object({ pk: z.string(), sk: z.string(), records: z.array(auditRecordSchema) })
type Block = z.infer<typeof blockSchema>

/** Returns the log as it is stored, oldest first, as an attacker with write access sees it. */
async function storedBlocks(): Promise<Block[]> {
  const items = await service.service.platform.auditTable.list(`team#${service.team.id}`, "audit#")
  return items.map((item) => blockSchema.parse(item)).toReversed()
}

async function store({ pk, sk, records }: Block): Promise<void> {
  await service.service.platform.auditTable.put({ pk, sk }, { records })
}

/** Changes what is stored, runs the check, and restores everything. */
async function verifyAfter(
  change: (blocks: readonly Block[]) => Promise<void>,
  args: readonly string[] = [],
) {
  const before = await storedBlocks()
  await change(before)
  try {
    return await sealway(["audit", "verify", ...args])
  } finally {
    for (const block of before) await store(block)
  }
}

/** Returns a block of more than one record, with others after it. */
function blockAt(blocks: readonly Block[], index: number): Block {
  const block = blocks.at(index)
  if (block === undefined) throw new Error("The log is too short for this test")
  return block
}

async function writeRecords(count: number): Promise<void> {
  for (let written = 0; written < count; written++)
    await sealway(["apps", "create", "--name", `Audited ${written}`])
}

describe("the list of the audit log", () => {
  test("lists who did what, newest first, and never a key", async () => {
    const { key, id } = (await sealway(["keys", "create", "--name", "audited", "--json"])).json() as {
      key: string
      id: string
    }
    const rows = (await sealway(["audit", "list", "--limit", "1"])).rows()
    expect(rows[0]?.slice(1, 3)).toEqual(["api-key.create", id])
    expect(rows[0]?.[4]).toBe("127.0.0.1")
    expect((await sealway(["audit", "list", "--all", "--json"])).stdout).not.toContain(key)
  })

  test("is filtered by action, app, actor and time", async () => {
    await sealway(["apps", "create", "--name", "Filtered"])
    const created = await sealway(["audit", "list", "--action", "app.*", "--all"])
    expect(new Set(created.rows().map(([, action]) => action))).toEqual(new Set(["app.create"]))
    const ofApp = await sealway(["audit", "list", "--of-app", service.production.app.id, "--all"])
    expect(new Set(ofApp.rows().map((row) => row[5]))).toEqual(new Set([service.production.app.id]))
    const byNobody = await sealway(["audit", "list", "--by", "key_00000000000000000000000000", "--all"])
    expect(byNobody.stdout).toBe("")
    expect((await sealway(["audit", "list", "--to", "24h", "--all"])).stdout).toBe("")
    const all = await sealway(["audit", "list", "--all", "-q"])
    expect((await sealway(["audit", "list", "--from", "24h", "--all", "-q"])).stdout).toBe(all.stdout)
    expect((await sealway(["audit", "list", "--from", "yesterday"])).exitCode).toBe(2)
  })

  test("follows: shows each new record once, fields separated by tabs on a terminal too", async () => {
    const end = new AbortController()
    let polls = 0
    const sleep = async () => {
      polls++
      if (polls <= 2) await sealway(["apps", "create", "--name", `Followed ${polls}`])
      if (polls < 4) return
      end.abort(130)
      throw end.signal.reason
    }
    const args = ["audit", "list", "--follow", "--action", "app.create", "--limit", "1"]
    await sealway(["apps", "create", "--name", "Followed 0"])
    const { stdout, rows } = await sealway(args, { sleep, signal: end.signal, isTty: true })
    expect(rows().map((row) => row[1])).toEqual(["app.create", "app.create", "app.create"])
    expect(new Set(stdout.trimEnd().split("\n")).size).toBe(3)
    expect((await sealway(["audit", "list", "--follow", "--all"])).exitCode).toBe(2)
  })

  test("does not filter by --app: that is the app to work with", async () => {
    const rows = (await sealway(["audit", "list", "--all", "--app", service.production.app.id])).rows()
    expect(new Set(rows.map((row) => row[5])).size).toBeGreaterThan(1)
  })
})

describe("verify", () => {
  test("confirms a log of more than one page, and prints its head", async () => {
    await writeRecords(110)
    const verified = await sealway(["audit", "verify"])
    const [newest] = (await storedBlocks()).at(-1)?.records.slice(-1) ?? []
    expect(verified).toMatchObject({ exitCode: 0, stdout: `${newest?.seq}:${newest?.hash}\n` })
    expect(verified.stderr).toBe(`The audit log is intact: ${newest?.seq} records.\n`)
    const anchored = await sealway(["audit", "verify", "--anchor", verified.stdout.trim(), "--json"])
    expect(anchored.json()).toEqual({ state: "intact", head: { seq: newest?.seq, hash: newest?.hash } })
  })

  test("continues from an anchor that is older than the log", async () => {
    const anchor = (await sealway(["audit", "verify"])).stdout.trim()
    await writeRecords(2)
    expect((await sealway(["audit", "verify", "--anchor", anchor])).exitCode).toBe(0)
  })

  test.each([
    ["the first", 0],
    ["one in the middle", 60],
    ["the newest", -1],
  ])("names a record that was edited: %s", async (_which, index) => {
    let seq = 0
    const result = await verifyAfter(async (blocks) => {
      const block = blockAt(blocks, index)
      const [record, ...rest] = block.records
      if (record === undefined) throw new Error("An empty block")
      seq = record.seq
      await store({ ...block, records: [{ ...record, action: "nothing.happened" }, ...rest] })
    })
    expect(result).toMatchObject({ exitCode: 1, stdout: "" })
    expect(result.stderr).toBe(`sealway: The audit log is not intact: record ${seq} was edited.\n`)
  })

  test("names the place where a record was removed", async () => {
    let seq = 0
    const result = await verifyAfter(async (blocks) => {
      const block = blockAt(blocks, 50)
      seq = block.records[0]?.seq ?? 0
      await service.service.platform.auditTable.put(
        { pk: block.pk, sk: block.sk },
        { ...block, expiresAt: 1 },
      )
    })
    expect(result.exitCode).toBe(1)
    expect(result.stderr).toContain(`record ${seq} is missing`)
  })

  test("names the place where records were swapped", async () => {
    let seq = 0
    const result = await verifyAfter(async (blocks) => {
      const [left, right] = [blockAt(blocks, 50), blockAt(blocks, 51)]
      seq = left.records[0]?.seq ?? 0
      await store({ ...left, records: right.records })
      await store({ ...right, records: left.records })
    })
    expect(result.exitCode).toBe(1)
    expect(result.stderr).toContain(`record ${seq} is missing or out of place`)
  })

  test("detects a log that was written again, when it has an anchor", async () => {
    const anchor = (await sealway(["audit", "verify"])).stdout.trim()
    const rewrite = async (blocks: readonly Block[]) => {
      let head = { seq: 0, hash: "0".repeat(64) }
      for (const block of blocks) {
        const records = block.records.map((record) => {
          const { id: _id, seq: _seq, hash: _hash, previousHash: _previous, ...rest } = record
          const linked = linkAuditRecord({ ...rest, at: 0 }, head)
          head = linked
          return linked
        })
        await store({ ...block, records })
      }
    }
    expect((await verifyAfter(rewrite)).exitCode).toBe(0)
    const anchored = await verifyAfter(rewrite, ["--anchor", anchor])
    expect(anchored.exitCode).toBe(1)
    expect(anchored.stderr).toContain("the anchor")
  })

  test("detects a log whose end was cut off, when it has an anchor", async () => {
    const anchor = (await sealway(["audit", "verify"])).stdout.trim()
    const cut = async (blocks: readonly Block[]) => {
      const { pk, sk, records } = blockAt(blocks, -1)
      await service.service.platform.auditTable.put({ pk, sk }, { records, expiresAt: 1 })
    }
    expect((await verifyAfter(cut)).exitCode).toBe(0)
    const anchored = await verifyAfter(cut, ["--anchor", anchor])
    expect(anchored.exitCode).toBe(1)
    expect(anchored.stderr).toContain(`record ${anchor.split(":")[0]}`)
  })

  test("checks an exported folder in the same way, without a service and without a key", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sealway-audit-"))
    try {
      for (const { records } of await storedBlocks()) {
        const name = `${String(records[0]?.seq).padStart(12, "0")}.jsonl`
        await writeFile(join(folder, name), records.map((record) => `${JSON.stringify(record)}\n`).join(""))
      }
      const anchor = (await sealway(["audit", "verify"])).stdout.trim()
      const verify = (...more: readonly string[]) =>
        sealway(["audit", "verify", "--folder", folder, ...more], { env: { SEALWAY_TEAM_KEY: "" } })
      expect(await verify("--anchor", anchor)).toMatchObject({ exitCode: 0, stdout: `${anchor}\n` })
      await writeFile(join(folder, "README"), "Not a record")
      expect((await verify()).exitCode).toBe(0)
      const edited = join(folder, "000000000002.jsonl")
      const text = await readFile(edited, "utf8")
      for (const other of [text.replace('"app.create"', '"app.update"'), "not JSON\n"]) {
        await writeFile(edited, other)
        const result = await verify("--anchor", anchor)
        expect(result).toMatchObject({ exitCode: 1, stdout: "" })
        expect(result.stderr).toBe("sealway: The audit log is not intact: record 2 was edited.\n")
      }
      await rm(edited)
      expect((await verify()).stderr).toContain("record 2 is missing")
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test("refuses a folder without exported records", async () => {
    for (const folder of [import.meta.dirname, "/nowhere"]) {
      const result = await sealway(["audit", "verify", "--folder", folder])
      expect(result.exitCode).toBe(2)
    }
  })

  test.each(["", "1", "1:abc", `0:${"0".repeat(64)}`])("refuses an invalid anchor: %j", async (anchor) => {
    expect((await sealway(["audit", "verify", "--anchor", anchor])).exitCode).toBe(2)
  })

  test("requires a team key: status 3", async () => {
    expect((await sealway(["audit", "verify"], { env: { SEALWAY_TEAM_KEY: "" } })).exitCode).toBe(3)
    const env = { SEALWAY_TEAM_KEY: service.sandbox.auth.key }
    expect((await sealway(["audit", "verify"], { env })).exitCode).toBe(3)
  })
})
