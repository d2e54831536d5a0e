import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { createS3AuditArchive } from "@sealway/api/testing"
import { createPlatform, type Platform } from "@sealway/http"
import { createCloudClients, type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { AUDIT_TABLE, QUEUES, TABLES } from "@sealway/ports"
import {
  type AuditArchive,
  type AuditEntry,
  createAuditExporter,
  createAuditExportHandler,
  SYSTEM,
} from "@sealway/records"
import { auditRecordSchema, createAuditChainVerifier } from "@sealway/records/audit-chain"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import * as z from "zod"

const BUCKET = "records"
const SILENT = { error() {} }

let cloud: EmbeddedCloud
let platform: Platform
let teams = 0

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  const { configuration, clients } = createCloudClients(cloud)
  await ensureStageKey(cloud)
  platform = createPlatform(configuration, clients)
})
afterAll(() => cloud.close())

/** What is kept, by `<team>/<name>`. */
let kept: Map<string, string>
let isDown: boolean
let team: string
beforeEach(() => {
  kept = new Map()
  isDown = false
  team = `team_${teams++}`
})

const archive: AuditArchive = {
  async lastAfter(folder, name) {
    const keys = [...kept.keys()].filter((key) => key.startsWith(`${folder}/`) && key > `${folder}/${name}`)
    return (
      keys
        .sort()
        .at(-1)
        ?.slice(folder.length + 1) ?? null
    )
  },
  async keep(folder, name, lines) {
    if (isDown) throw new Error("The archive is down")
    const key = `${folder}/${name}`
    if (!kept.has(key)) kept.set(key, lines)
  },
}

const exportTeam = (to = archive) => createAuditExporter(platform.auditTable, to)(team)
const handler = () => createAuditExportHandler(createAuditExporter(platform.auditTable, archive), SILENT)
/** As the table's stream tells of new items. */
const changes = (...teamIds: readonly string[]) => ({
  Records: teamIds.map((id) => ({ dynamodb: { Keys: { pk: { S: `team#${id}` }, sk: { S: "audit#1" } } } })),
})

/** Adds blocks to the log, each with so many records. */
async function write(...blocks: readonly number[]): Promise<void> {
  const entry: AuditEntry = {
    ...SYSTEM,
    teamId: team,
    appId: null,
    action: "app.update",
    target: { type: "app", id: "app_1" },
  }
  // Of records that arrive together, the first is a block by itself, and those that wait for it are another.
  for (const count of blocks) {
    await Promise.all(Array.from({ length: count }, () => platform.audit.record(entry)))
  }
}

/** Returns what is wrong with what is kept of the team, read by name; the number of its last record when nothing is. */
function verify(): unknown {
  const verifier = createAuditChainVerifier()
  for (const [, lines] of [...kept].filter(([key]) => key.startsWith(`${team}/`)).sort()) {
    for (const line of lines.trimEnd().split("\n")) verifier.add(auditRecordSchema.parse(JSON.parse(line)))
  }
  const result = verifier.result()
  return result.state === "intact" ? result.head.seq : result
}

describe("the export of the audit log", () => {
  test("keeps every record once, in files that are a chain when they are read by name", async () => {
    await write(1, 3, 60)
    await exportTeam()
    expect(verify()).toBe(64)
    const before = new Map(kept)
    await exportTeam()
    expect(kept).toEqual(before)
    expect([...kept.keys()].every((key) => /^team_\d+\/\d{12}\.jsonl$/.test(key))).toBe(true)
  })

  test("makes good for calls that failed or were never made, and never leaves a gap", async () => {
    await write(1, 1)
    await exportTeam()
    await write(1, 1, 1)
    let left = 2
    const failing = {
      ...archive,
      async keep(folder: string, name: string, lines: string) {
        if (left-- === 0) throw new Error("The archive is down")
        await archive.keep(folder, name, lines)
      },
    }
    await expect(exportTeam(failing)).rejects.toThrow("The archive is down")
    expect(verify()).toBe(4)
    await exportTeam()
    expect(verify()).toBe(5)
  })

  test("is the same when two processes export a team at once", async () => {
    await write(1, 1, 1, 1)
    await Promise.all([exportTeam(), exportTeam()])
    expect(verify()).toBe(4)
  })

  test("asks the archive once, and adds one object, for a record that follows exported ones", async () => {
    await write(1, 1, 1)
    await exportTeam()
    await write(1)
    const asked: string[] = []
    await exportTeam({
      lastAfter(folder, name) {
        asked.push(`after ${name}`)
        return archive.lastAfter(folder, name)
      },
      async keep(_folder, name) {
        asked.push(`keep ${name}`)
      },
    })
    expect(asked).toEqual(["after 000000000002.jsonl", "keep 000000000004.jsonl"])
  })

  test("stops where the archive has records that the log has lost", async () => {
    await write(1)
    kept.set(`${team}/000000000007.jsonl`, "")
    await expect(exportTeam()).rejects.toThrow("The archive has records that the log does not have")
  })
})

describe("the function of the export", () => {
  test("exports each team of which the stream tells, and one that an operator names", async () => {
    await write(1)
    const first = team
    team = `team_${teams++}`
    await write(1)
    await handler()(changes(first, first))
    expect([...kept.keys()]).toEqual([`${first}/000000000001.jsonl`])
    await handler()({ teamId: team })
    expect(kept.size).toBe(2)
  })

  test("fails, so that Lambda calls it again, when a team cannot be exported, after all others", async () => {
    await write(1)
    const broken = `team_${teams++}`
    kept.set(`${broken}/000000000001.jsonl`, "")
    await expect(handler()(changes(broken, team))).rejects.toThrow("The audit logs of 1 teams")
    expect(verify()).toBe(1)
    isDown = true
    await write(1)
    await expect(handler()(changes(team))).rejects.toThrow("The audit logs of 1 teams")
  })

  test("does nothing for records that still wait for their block", async () => {
    const Keys = { pk: { S: `audit-group#${team}#1` }, sk: { S: "waiting#1" } }
    await handler()({ Records: [{ dynamodb: { Keys } }] })
    expect(kept.size).toBe(0)
  })

  test("refuses what is no event of the audit log's stream", async () => {
    for (const event of [{}, { Records: [{ dynamodb: { Keys: { pk: { S: "app#a" } } } }] }, { teamId: "" }])
      await expect(handler()(event)).rejects.toThrow(z.ZodError)
  })
})

describe("the bucket of the export", () => {
  interface Sent extends Pick<IncomingMessage, "method" | "url" | "headers"> {
    readonly body: string
  }

  /** Calls an archive whose S3 gives these answers, one after the other. @returns the result, and what S3 was sent */
  async function callS3<Result>(
    answers: readonly (readonly [number, string])[],
    call: (archive: AuditArchive) => Promise<Result>,
  ) {
    const sent: Sent[] = []
    const server = createServer(async (request, response) => {
      const { method, url, headers } = request
      const [status, body] = answers[sent.length] ?? [500, ""]
      sent.push({ method, url, headers, body: await text(request) })
      response.writeHead(status, { "content-type": "application/xml" }).end(body)
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    const { port } = z.object({ port: z.number() }).parse(server.address())
    const settings = {
      region: "us-east-1",
      maxAttempts: 1,
      credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    }
    const requestHandler = { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true }
    const archive = createS3AuditArchive((_service, create) => {
      return create({
        ...settings,
        retryMode: "standard",
        requestHandler,
        endpoint: `http://127.0.0.1:${port}`,
      })
    }, BUCKET)
    try {
      return { result: await call(archive), sent }
    } finally {
      server.close()
    }
  }
  const list = (keys: readonly string[], token?: string) =>
    `<ListBucketResult>${keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join("")}${
      token === undefined
        ? ""
        : `<IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>`
    }</ListBucketResult>`
  const problem = (code: string) => `<Error><Code>${code}</Code><Message>No</Message></Error>`
  const keep = (archive: AuditArchive) => archive.keep("team_1", "000000000001.jsonl", "{}\n")

  test("gets each object with a checksum, which Object Lock asks for, and never over another", async () => {
    const { sent } = await callS3([[200, ""]], keep)
    expect(sent).toMatchObject([
      {
        method: "PUT",
        url: expect.stringMatching(/^\/records\/team_1\/000000000001\.jsonl/),
        headers: {
          "if-none-match": "*",
          "x-amz-sdk-checksum-algorithm": "SHA256",
          "x-amz-checksum-sha256": "yj0WO6sFU4GCciYUBWjzvvfqrBh869doeOC2Pp5EI1Y=",
        },
        body: "{}\n",
      },
    ])
  })

  test("has an object already when S3 says so, and any other refusal is an error", async () => {
    await callS3([[412, problem("PreconditionFailed")]], keep)
    await expect(callS3([[403, problem("AccessDenied")]], keep)).rejects.toThrow(
      expect.objectContaining({ name: "AccessDenied" }),
    )
  })

  test("is listed to its last page", async () => {
    const pages = [
      [200, list(["team_1/000000000001.jsonl"], "next")],
      [200, list(["team_1/000000000002.jsonl"])],
    ] as const
    const { result, sent } = await callS3(pages, (archive) => archive.lastAfter("team_1", "0"))
    expect(result).toBe("000000000002.jsonl")
    expect(sent[0]?.url).toContain("prefix=team_1%2F&start-after=team_1%2F0")
    expect(sent[1]?.url).toContain("continuation-token=next")
    expect((await callS3([[200, list([])]], (archive) => archive.lastAfter("team_1", ""))).result).toBeNull()
  })
})

test("the exporter reads the table of the audit log, and nothing else", async () => {
  const calls: unknown[] = []
  const { configuration, clients } = createCloudClients(cloud, { onCall: (call) => calls.push(call) })
  await write(1)
  await createAuditExporter(createPlatform(configuration, clients).auditTable, archive)(team)
  expect(verify()).toBe(1)
  const query = { service: "dynamodb", operation: "Query", resource: AUDIT_TABLE.name }
  expect(new Set(calls.map((call) => JSON.stringify(call)))).toEqual(new Set([JSON.stringify(query)]))
})
