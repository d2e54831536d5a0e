import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"
import { promisify } from "node:util"
import { keyLines, tokenLines } from "@sealway/cli/testing"
import { createPlatform, type Platform } from "@sealway/http"
import { createCloudClients, type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { announce } from "@sealway/local/testing"
import { AUDIT_TABLE, CONFIG_TABLE, EVENTS_TABLE, KEYS_TABLE, QUEUES } from "@sealway/ports"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type AuditWriterServer, serveAuditWriter } from "../support/audit-writer-server.ts"
import { type DynaliteTables, startDynalite } from "../support/dynalite.ts"
import { KMS_CREDENTIALS, type KmsServer, serveKms } from "../support/kms-over-keys.ts"
import { ROOT, withFolder } from "../support/start.ts"
import { run } from "./cli.ts"

const execute = promisify(execFile)
const BIN = join(ROOT, "packages", "clients", "cli", "bin", "sealway.mjs")
const KEY = "alias/sealway"

/** A stage as a first deployment leaves it: tables, queues and a key, all empty. */
let cloud: EmbeddedCloud
let dynamodb: DynaliteTables
let platform: Platform
let writer: AuditWriterServer
let kms: KmsServer

beforeEach(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: [], queues: QUEUES })
  const { configuration, clients } = createCloudClients(cloud)
  await ensureStageKey(cloud)
  dynamodb = await startDynalite()
  platform = createPlatform(configuration, { ...clients, openTable: dynamodb.openTable })
  writer = await serveAuditWriter(platform)
  kms = await serveKms(cloud)
})
afterEach(async () => {
  await Promise.all([writer.close(), kms.close()])
  await Promise.all([cloud.close(), dynamodb.close()])
})

const outputs = (changes = {}) => ({
  stage: "dev",
  region: "us-east-1",
  Url: "http://127.0.0.1:1",
  ConfigTable: CONFIG_TABLE.name,
  KeysTable: KEYS_TABLE.name,
  AuditTable: AUDIT_TABLE.name,
  EventsTable: EVENTS_TABLE.name,
  AuditWriter: writer.functionName,
  KmsKey: KEY,
  ...changes,
})

/** Runs `sealway bootstrap` as its own process, since only that has its own AWS credentials. */
async function bootstrap(folder: string, args: readonly string[] = [], env = {}) {
  const options = {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      ...KMS_CREDENTIALS,
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
      AWS_ENDPOINT_URL_KMS: kms.endpoint,
      AWS_ENDPOINT_URL_LAMBDA: writer.endpoint,
      AWS_EC2_METADATA_DISABLED: "true",
      ...env,
    },
  }
  const command = [BIN, "bootstrap", "--stage", "dev", ...args]
  return execute(process.execPath, command, options).then(
    ({ stdout, stderr }) => ({ exitCode: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({
      exitCode: Number(code),
      stdout: String(stdout),
      stderr: String(stderr),
    }),
  )
}

async function writeOutputs(folder: string, changes = {}): Promise<void> {
  await mkdir(join(folder, ".sst"))
  await writeFile(join(folder, ".sst", "outputs.json"), JSON.stringify(outputs(changes)))
}

const teams = async () => {
  const page = await platform.configTable.get({ pk: "first-start", sk: "first-start" })
  return page?.teamId
}

describe("a bootstrap", () => {
  test("creates a team, two apps and keys that work, and shows them once", () =>
    withFolder(async (folder) => {
      await writeOutputs(folder)
      const { exitCode, stdout } = await bootstrap(folder, ["--json"])
      expect(exitCode).toBe(0)
      const made = JSON.parse(stdout)
      expect(made).toMatchObject({
        stage: "dev",
        url: "http://127.0.0.1:1",
        teamId: await teams(),
        teamKey: expect.stringMatching(/^swk_team_/),
        apps: [
          { environment: "sandbox", apiKey: expect.stringMatching(/^swk_sandbox_/) },
          { environment: "production", apiKey: expect.stringMatching(/^swk_production_/) },
        ],
      })
      const app = await platform.directory.app(made.apps[0].id)
      expect(app).toMatchObject({ teamId: made.teamId, status: "enabled" })
      const audited = await Array.fromAsync(platform.audit.read(made.teamId, null))
      expect(audited.map(({ action }) => action).sort()).toEqual([
        ...["api-key.create", "api-key.create", "app.create", "app.create", "team-key.create", "team.create"],
      ])

      const again = await bootstrap(folder, ["--json"])
      expect(again.exitCode).toBe(0)
      expect(JSON.parse(again.stdout)).toEqual({
        stage: "dev",
        url: "http://127.0.0.1:1",
        teamId: made.teamId,
        appIds: made.apps.map(({ id }: { id: string }) => id),
        keys: null,
      })
      expect(again.stdout).not.toContain("swk_")
    }))

  test("issues keys of the existing team and apps when it runs again with --new-keys", () =>
    withFolder(async (folder) => {
      await writeOutputs(folder)
      const first = JSON.parse((await bootstrap(folder, ["--json"])).stdout)
      const second = JSON.parse((await bootstrap(folder, ["--json", "--new-keys"])).stdout)
      expect(second.teamId).toBe(first.teamId)
      expect(second.apps.map(({ id }: { id: string }) => id)).toEqual(
        first.apps.map(({ id }: { id: string }) => id),
      )
      expect(second.teamKey).not.toBe(first.teamKey)
    }))

  test("takes everything from flags where nothing was deployed from this folder", () =>
    withFolder(async (folder) => {
      const { Url, region, ConfigTable, KeysTable, AuditTable, EventsTable, AuditWriter, KmsKey } = outputs()
      const place = ["--url", Url, "--region", region, "--kms-key", KmsKey]
      const tables = ["--config-table", ConfigTable, "--keys-table", KeysTable, "--events-table", EventsTable]
      const audit = ["--audit-table", AuditTable, "--audit-writer", AuditWriter]
      const { exitCode, stdout } = await bootstrap(folder, [...place, ...tables, ...audit, "-q"])
      expect(exitCode).toBe(0)
      expect(stdout).toMatch(/^swk_team_\S+\n$/)
    }))

  test("tries the sandbox app's key, and prints commands with the resulting token", () =>
    withFolder(async (folder) => {
      const requests: string[] = []
      const server = createServer((request, response) => {
        requests.push(`${request.method} ${request.url} ${request.headers.authorization?.split(" ")[0]}`)
        response.writeHead(200, { "content-type": "application/json" }).end('"ev:token"')
      }).listen(0, "127.0.0.1")
      await once(server, "listening")
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      await writeOutputs(folder)
      const { exitCode, stdout } = await bootstrap(folder, ["--url", `http://127.0.0.1:${port}`])
      server.close()
      expect(exitCode).toBe(0)
      expect(requests).toEqual(["POST /encrypt Basic"])
      expect(stdout).toContain(`/decrypt -H 'Content-Type: application/json' -d '{"card": "ev:token"}'`)
    }))

  test("shows the keys even where the service does not answer, and ends with status 5", () =>
    withFolder(async (folder) => {
      await writeOutputs(folder)
      const { exitCode, stdout, stderr } = await bootstrap(folder)
      expect(exitCode).toBe(5)
      expect(stdout).toMatch(/team {8}team_\S+ {3}key swk_team_/)
      expect(stderr).toContain("store them now")
    }))

  test("ends with status 3 and creates nothing without AWS credentials, or with wrong ones", () =>
    withFolder(async (folder) => {
      await writeOutputs(folder)
      const none = await bootstrap(folder, [], { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" })
      expect(none).toMatchObject({ exitCode: 3, stdout: "" })
      expect(none.stderr).toContain("No AWS credentials found")
      const wrong = await bootstrap(folder, [], { AWS_ACCESS_KEY_ID: "wrong" })
      expect(wrong).toMatchObject({ exitCode: 3, stdout: "" })
      expect(await teams()).toBeUndefined()
    }))

  test("ends with status 2 when its table does not exist", () =>
    withFolder(async (folder) => {
      await writeOutputs(folder, { ConfigTable: "another" })
      const { exitCode, stderr } = await bootstrap(folder)
      expect(exitCode).toBe(2)
      expect(stderr).toContain("do not exist")
    }))
})

describe("a bootstrap is refused with status 2", () => {
  const refused = (folder: string, args: readonly string[] = []) =>
    run(["bootstrap", "--stage", "dev", ...args], { folder })

  test("where nothing was deployed and a flag is missing", () =>
    withFolder(async (folder) => {
      const { exitCode, stderr } = await refused(folder, ["--url", "https://api.example.com"])
      expect(exitCode).toBe(2)
      expect(stderr).toContain("outputs.json")
      expect(stderr).toContain("--config-table")
    }))

  test("where the last deployment was of another stage", () =>
    withFolder(async (folder) => {
      await writeOutputs(folder, { stage: "production" })
      const { exitCode, stderr } = await refused(folder)
      expect(exitCode).toBe(2)
      expect(stderr).toContain("belongs to the stage production")
    }))

  test("where the outputs of the deployment lack something", () =>
    withFolder(async (folder) => {
      await writeOutputs(folder, { KmsKey: undefined })
      expect((await refused(folder)).exitCode).toBe(2)
    }))

  test("where keys would be tried on an address without TLS", () =>
    withFolder(async (folder) => {
      await writeOutputs(folder, { Url: "http://api.example.com" })
      const { exitCode, stderr } = await refused(folder)
      expect(exitCode).toBe(2)
      expect(stderr).toContain("https:")
    }))
})

test("prints the same lines after a bootstrap as `npm start`", () => {
  const url = "https://api.example.com"
  const keys = {
    teamId: "team_1",
    teamKey: "swk_team_x",
    apps: [
      { id: "app_1", environment: "sandbox", apiKey: "swk_sandbox_x" },
      { id: "app_2", environment: "production", apiKey: "swk_production_x" },
    ],
  } as const
  const proxies = { proxyUrl: "http://P:2", strictProxyUrl: "http://P:3", caUrl: "http://P:2/ca.pem" }
  const addresses = { url, relayUrl: "http://R:1", ...proxies }
  const functions = { confinement: "namespaces", network: "public", languages: ["node", "python"] } as const
  const announced = announce(addresses, keys, functions, "FOLDER", {
    token: "ev:token",
    signInUrl: "https://api.example.com/sign-in#code=x",
  })
    .trim()
    .replace(/\n {2}relays .*\n {2}proxy .*\n .*\n {2}functions .*\n {2}sign in .*\n/, "")
  const printed = [...keyLines(url, keys), ...tokenLines(url, keys, "ev:token")].join("\n")
  expect(announced).toBe(`${printed}\n\nData and keys are stored in FOLDER. Stop with Ctrl-C.`)
})
