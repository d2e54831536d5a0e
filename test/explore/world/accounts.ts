import { strict as assert } from "node:assert"
import type { App, Scope, Team } from "@sealway/accounts"
import { createApp, createTeam, issueApiKey } from "@sealway/management"
import { SYSTEM } from "@sealway/records"
import { createAuditChainVerifier } from "@sealway/records/audit-chain"
import type { Answer, SentRequest, ServiceProcess, World } from "./world.ts"

/** A team with an app and its keys. */
export interface Account {
  readonly team: Team
  readonly app: App
  readonly teamKey: string
  readonly apiKey: string
  readonly apiKeyId: string
}

/** Creates a team with a sandbox app. */
export async function createAccount({ platform }: ServiceProcess): Promise<Account> {
  const team = await createTeam(platform, "Team", SYSTEM)
  const app = await createApp(platform, team.id, { name: "App", environment: "sandbox" }, SYSTEM)
  const owner = { teamId: team.id, name: "Key", expiresAt: null }
  const scopes: readonly (Scope | "*")[] = ["*"]
  const appKey = await issueApiKey(platform, { ...owner, kind: "sandbox", appId: app.id, scopes }, SYSTEM)
  const teamKey = await issueApiKey(platform, { ...owner, kind: "team", appId: null, scopes: [] }, SYSTEM)
  return { team, app, teamKey: teamKey.key, apiKey: appKey.key, apiKeyId: appKey.record.id }
}

/** Sends a request that must succeed, while nothing else happens. */
export async function prepare(
  process: ServiceProcess,
  endpointId: string,
  request: SentRequest,
): Promise<NonNullable<Answer>["json"]> {
  const answer = await process.send(endpointId, request)
  if (answer === null || answer.status >= 300) {
    throw new Error(`${endpointId} answers ${answer?.status}: ${JSON.stringify(answer?.json)}`)
  }
  return answer.json
}

/** How long a client waits before it repeats a request: longer than an unanswered one locks its key. */
const REPEAT_MS = 61_000
/** More than faults, and times that pass, can end requests in one history. */
const MAX_REPETITIONS = 6

/** Whether a request is worth repeating: nobody knows from the answer if it was carried out. */
export const isUnclear = (answer: Answer) => answer === null || answer.status >= 500

/** Whether a request was carried out. Null: it may have been. */
export function isDone(answer: Answer): boolean | null {
  if (answer === null || answer.status >= 500 || answer.json.code === "idempotency-result-unknown")
    return null
  return answer.status < 300
}

/** Sends a request with a key until its outcome is clear, each time to another process, as clients do. */
export async function sendUntilClear(
  world: World,
  endpointId: string,
  request: SentRequest & { readonly idempotencyKey: string },
): Promise<Answer> {
  let answer = await world.start().send(endpointId, request)
  for (let repetition = 0; repetition < MAX_REPETITIONS && isUnclear(answer); repetition++) {
    await world.sleep(REPEAT_MS)
    answer = await world.start().send(endpointId, request)
  }
  return answer
}

/** Expects that a team's audit log has no fork and no gap. @returns its actions, the oldest first */
export async function checkAuditLog(
  { platform }: ServiceProcess,
  teamId: string,
): Promise<readonly string[]> {
  const records = (await Array.fromAsync(platform.audit.read(teamId, null))).toReversed()
  const verifier = createAuditChainVerifier()
  for (const record of records) verifier.add(record)
  assert.equal(verifier.result().state, "intact", "the audit chain has a fork or a gap")
  return records.map(({ action }) => action)
}
