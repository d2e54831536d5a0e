import { randomUUID } from "node:crypto"
import { LIMIT_GRANTS } from "@sealway/accounts"
import { createService } from "@sealway/api"
import { createPlatform, grantsOf, type Platform, withoutSmallerParts } from "@sealway/http"
import { withoutLaterWrites } from "@sealway/http/testing"
import {
  BUCKETS,
  createCloudClients,
  type EmbeddedCloud,
  ensureStageKey,
  startEmbeddedCloud,
} from "@sealway/local"
import { type AwsCall, type Grant, QUEUES, TABLES, TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type DnsServer, startDnsServer } from "./support/dns-server.ts"
import { NITRO } from "./support/enclave-requests.ts"
import { ENDPOINT_REQUESTS, prepareTeam, sendRequest } from "./support/endpoint-requests.ts"
import { grantOfCall } from "./support/grant-of-call.ts"
import type { GrantRequests } from "./support/grant-request.ts"
import { createRelayRequests, SELDOM_OF_RELAYS } from "./support/relay-grant-requests.ts"
import { SELDOM_OF_SANDBOX_CHALLENGES } from "./support/sandbox-challenge-requests.ts"
import { SELDOM_OF_THREE_DS } from "./support/three-d-secure-requests.ts"
import { withSubjects } from "./support/with-subjects.ts"

/** What endpoints do rarely, and not in these requests. */
const SELDOM: Record<string, readonly Grant[]> = {
  // When requests race, the one too many is deleted again.
  "create-data-role": ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config"],
  "create-enclave": ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config"],
  // When requests race, the data subject that came second is deleted again.
  encrypt: ["dynamodb:DeleteItem/config"],
  "get-data-subject-key": ["dynamodb:DeleteItem/config"],
  "create-honey-token": ["dynamodb:DeleteItem/config"],
  "create-format": ["dynamodb:DeleteItem/config"],
  "decrypt-format": ["dynamodb:PutItem/config"],
  // When requests race, and uploads that have ended.
  "create-file": [
    ...(["dynamodb:DeleteItem/config"] as const),
    ...(["s3:AbortMultipartUpload/files", "s3:DeleteObject/files"] as const),
  ],
  // In the URLs that they sign, and make no call for. Uploading has noted that the role is used.
  "create-file-part-urls": ["s3:PutObject/files"],
  "decrypt-file": ["s3:GetObject/files", "dynamodb:PutItem/config"],
  // An upload that has ended, or is no file: test/api/files.test.ts has some.
  "complete-file": ["s3:ListBucket/files", "s3:AbortMultipartUpload/files", "s3:DeleteObject/files"],
  "create-data-policy": ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config"],
  "create-webhook-endpoint": ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config"],
  "create-webhook-listener": ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config"],
  "create-bin-table": ["dynamodb:GetItem/payments", "dynamodb:DeleteItem/payments"],
  // The connector of a production app.
  "create-par-lookup": ["dynamodb:GetItem/payments"],
  // The connector of a production app, and a deletion of the one too many.
  "create-merchant": ["dynamodb:GetItem/payments", "dynamodb:DeleteItem/payments"],
  // A worker checks this within 15 minutes: the sandbox's acquirers decide at once, or never.
  "create-acquirer": ["dynamodb:DeleteItem/payments", "sqs:SendMessage/enrolments"],
  "update-acquirer": ["sqs:SendMessage/enrolments"],
  // The sandbox's networks withdraw at once, others later.
  "delete-merchant": ["dynamodb:PutItem/payments", "sqs:SendMessage/enrolments"],
  "delete-acquirer": ["sqs:SendMessage/enrolments"],
  // A merchant that is deleted meanwhile; a number that a subscription had long before.
  "create-card-subscription": ["dynamodb:DeleteItem/payments"],
  "simulate-account-update": ["dynamodb:DeleteItem/payments"],
  // An earlier change that no worker has reported yet, the results of a challenge, what is known of a card's new
  // number.
  "receive-connector-event": [
    ...(["dynamodb:Query/config", "dynamodb:PutItem/events", "sqs:SendMessage/events"] as const),
    ...(["dynamodb:Query/payments", "dynamodb:DeleteItem/payments"] as const),
  ],
  // An event whose data is sealed.
  "fetch-webhook-events": ["dynamodb:Query/keys", "kms:Decrypt/secret"],
  "deploy-function": ["dynamodb:DeleteItem/config", "s3:DeleteObject"],
  // When too many runs are in progress, looks for places that were not freed.
  "run-function": ["dynamodb:GetItem/runs"],
  "run-bare-payload": ["dynamodb:GetItem/runs"],
  // The member's oldest session, when there are too many.
  "use-sign-in-link": ["dynamodb:DeleteItem/keys"],
  // With an identity provider, which is not here: test/api/sign-in-oidc.test.ts has one.
  "finish-oidc-sign-in": [
    ...(["dynamodb:GetItem/keys", "dynamodb:PutItem/keys", "dynamodb:DeleteItem/keys"] as const),
    ...(["dynamodb:GetItem/config", "dynamodb:PutItem/events", ...TEAM_AUDIT_GRANTS] as const),
  ],
  // A merchant that is deleted meanwhile is not held any longer.
  "create-retry-watch": ["dynamodb:DeleteItem/payments"],
  ...SELDOM_OF_RELAYS,
  ...SELDOM_OF_THREE_DS,
  ...SELDOM_OF_SANDBOX_CHALLENGES,
}

let cloud: EmbeddedCloud
let dns: DnsServer
let calls: AwsCall[] = []

beforeAll(async () => {
  dns = await startDnsServer()
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES, buckets: BUCKETS })
  await ensureStageKey(cloud)
})
afterAll(async () => {
  await dns.close()
  await cloud.close()
})

/** Clients of AWS, which processes share: they take milliseconds to make, and know nothing. */
const connect = (onCall: (call: AwsCall) => void) =>
  createCloudClients(cloud, {
    accessLog: "log",
    enclaveRoot: NITRO.rootFingerprint,
    dnsServers: [dns.address],
    onCall,
  })

function newProcess({ configuration, clients }: ReturnType<typeof connect>): Platform {
  return withoutLaterWrites(createPlatform(configuration, clients))
}

test("makes exactly the AWS calls that an endpoint is granted, in a cold request and in its repetition", async () => {
  const other = newProcess(connect(() => undefined))
  const watched = connect((call) => calls.push(call))
  const others = createService(other).endpoints
  const requestsOf: GrantRequests = { ...ENDPOINT_REQUESTS, ...createRelayRequests(dns) }
  for (const { endpoint } of others) {
    const request = requestsOf[endpoint.id]
    if (request === undefined) throw new Error(`No request tries ${endpoint.id}`)
    // Their keys are in an HSM, so that whatever opens values also calls KMS for each.
    const given = await prepareTeam(other, others, "hsm")
    const requests = [await request(given)].flat()
    calls = []
    for (const wanted of requests) {
      const idempotencyKey = randomUUID()
      for (let repetition = 0; repetition < 2; repetition++) {
        const service = createService(newProcess(watched))
        const answer = await sendRequest(service.endpoints, endpoint.id, given, wanted, idempotencyKey)
        const outcome = { [endpoint.id]: answer.statusCode }
        const repeated = endpoint.unkept === "all" ? 409 : wanted.repeatedStatus
        const expected = (repetition > 0 ? repeated : undefined) ?? wanted.status ?? endpoint.status
        expect(outcome, answer.body).toEqual({ [endpoint.id]: expected })
        await service.flush()
      }
    }
    // Only `decrypt` opens a value of a data subject here.
    const opens = endpoint.id !== "decrypt" && grantsOf(endpoint).includes("kms:Decrypt/private")
    // How much a key is used is told after some requests, not after one.
    const limited = endpoint.auth.some(({ name }) => name !== "session") ? LIMIT_GRANTS : []
    const seldom = [...calls.map(grantOfCall), ...(SELDOM[endpoint.id] ?? []), ...limited]
    const made = opens ? withSubjects(seldom) : [...new Set(seldom)]
    expect({ [endpoint.id]: withoutSmallerParts(made).sort() }).toEqual({ [endpoint.id]: grantsOf(endpoint) })
  }
}, 120_000)
