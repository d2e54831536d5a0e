import { randomUUID } from "node:crypto"
import { createService, serviceEndpoints } from "@sealway/api"
import { createPlatform, grantsOf, type Platform } from "@sealway/http"
import { createCloudClients, type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { type Grant, KEY_PARTS, type KeyPart, PARTS_WITHIN, QUEUES, TABLES } from "@sealway/ports"
import { RELAY_SERVING_GRANTS } from "@sealway/relay-proxy/lambda"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { FUNCTION_RUN_WORKER_GRANTS } from "../../../stacks/functions.ts"
import {
  ENROLMENT_WORKER_GRANTS,
  HSM_KEY_SWEEPER_GRANTS,
  WEBHOOK_WORKER_GRANTS,
} from "../../../stacks/workers.ts"
import { interceptKeys } from "../../support/breakable-process.ts"
import { ENDPOINT_REQUESTS, prepareTeam, sendRequest } from "../../support/endpoint-requests.ts"
import { type Statement, statementsOf } from "../iam-policy.ts"
import { allowsKmsCall, type KmsCall } from "../kms-access.ts"
import { relayedStage } from "../synthesize-stage.ts"

/** The grants of everything that may use the stage's key. */
const GRANTS: ReadonlyMap<string, readonly Grant[]> = new Map([
  ...serviceEndpoints.map((each) => [each.id, grantsOf(each)] as const),
  ["webhook-worker", WEBHOOK_WORKER_GRANTS],
  ["slow-webhook-worker", WEBHOOK_WORKER_GRANTS],
  ["function-run-worker", FUNCTION_RUN_WORKER_GRANTS],
  ["enrolment-worker", ENROLMENT_WORKER_GRANTS],
  ["hsm-key-sweeper", HSM_KEY_SWEEPER_GRANTS],
  ["relay", RELAY_SERVING_GRANTS],
  ["relay-container", RELAY_SERVING_GRANTS],
])
const WHOSE = { team: "team_1", app: "app_1", version: "1" }

/** What the keyring opens a part with: the context of a private part names none. */
const contextOf = (part: KeyPart) => (part === "private" ? WHOSE : { ...WHOSE, part })

type StageKeyCall = Pick<KmsCall, "action" | "context">

/** Returns what says whether the role of a function may call KMS, by its own policy and by the key's. */
function createAccess(name: string): (call: StageKeyCall) => boolean {
  const stage = relayedStage()
  const role = `sealway-ada-${name}`
  const roleArn = `arn:aws:iam::<AWS::AccountId>:role/${role}`
  const { id } = one(stage.ofType("AWS::IAM::Role"), (each) => each.properties.RoleName === role)
  const policy = one(
    stage.ofType("AWS::IAM::ManagedPolicy"),
    ({ properties }) => JSON.stringify(properties.Roles) === `["${id}"]`,
  )
  const onKey = statementsOf(policy).filter(({ Resource }: Statement) =>
    Resource.includes("keys/StageKey.Arn"),
  )
  const key = one(stage.ofType("AWS::KMS::Key"), (each) => each.id === "keys/StageKey")
  const ofKey = statementsOf(key, "KeyPolicy")
  return (call) => allowsKmsCall(onKey, { ...call, roleArn }) && allowsKmsCall(ofKey, { ...call, roleArn })
}

function one<Value>(values: readonly Value[], isWanted: (value: Value) => boolean): Value {
  const [found, ...others] = values.filter(isWanted)
  if (found === undefined || others.length > 0) throw new Error(`There are ${others.length + 1} or none`)
  return found
}

function partsOpened(name: string): KeyPart[] {
  const mayCall = createAccess(name)
  return KEY_PARTS.filter((part) => mayCall({ action: "kms:Decrypt", context: contextOf(part) }))
}

function partsGranted(grants: readonly Grant[]): KeyPart[] {
  const granted = KEY_PARTS.filter((part) => grants.includes(`kms:Decrypt/${part}`))
  return KEY_PARTS.filter((part) =>
    granted.some((each) => PARTS_WITHIN[each].some((within) => within === part)),
  )
}

describe("the parts of key versions", () => {
  test("are opened by each function's role as far as its grants name them", () => {
    const opened = [...GRANTS.keys()].map((name) => [name, partsOpened(name)])
    const granted = [...GRANTS].map(([name, grants]) => [name, partsGranted(grants)])
    expect(Object.fromEntries(opened)).toEqual(Object.fromEntries(granted))
  })

  test("are private only for what opens values", () => {
    const opening = [...GRANTS.keys()].filter((name) => partsOpened(name).includes("private"))
    expect(opening.sort()).toEqual([
      "complete-file",
      ...["create-3ds-session", "create-bin-lookup", "create-card-insight", "create-card-subscription"],
      ...["create-honey-token", "create-network-token", "create-par-lookup", "create-retry-watch", "decrypt"],
      ...["decrypt-file", "decrypt-for-enclave", "enrolment-worker"],
      ...["fingerprint", "function-run-worker", "inspect", "register-card", "relay"],
      ...[
        "relay-container",
        "reveal",
        "rewrap",
        "run-bare-payload",
        "run-function",
        "simulate-account-update",
      ],
      ...["simulate-card-update", "simulate-network-token-update"],
    ])
  })

  test("are in an HSM of use only to what opens values, and such keys are created only by what adds key versions", () => {
    const granted = (wanted: Grant) =>
      [...GRANTS].flatMap(([name, grants]) => (grants.includes(wanted) ? [name] : []))
    const opening = granted("kms:Decrypt/private")
    expect(granted("kms:DeriveSharedSecret")).toEqual(opening)
    expect(granted("kms:CreateKey").sort()).toEqual(["create-app", "rotate-keys", "update-app"])
    expect(granted("kms:ScheduleKeyDeletion")).toEqual(["hsm-key-sweeper"])
  })

  test.each(["encrypt", "create-client-side-token", "decrypt", "relay"])(
    "are opened by the role of %s only with exactly the context of a key version",
    (name) => {
      const mayCall = createAccess(name)
      const context = contextOf("public")
      const { team: _team, ...withoutTeam } = context
      for (const forged of [{}, { part: "public" }, withoutTeam, { ...context, purpose: "x" }]) {
        expect(mayCall({ action: "kms:Decrypt", context: forged })).toBe(false)
      }
      expect(mayCall({ action: "kms:Decrypt", context })).toBe(true)
      expect(mayCall({ action: "kms:Encrypt", context })).toBe(false)
    },
  )
})

describe("a process with the permissions of a function's role", () => {
  let cloud: EmbeddedCloud

  beforeAll(async () => {
    cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
    await ensureStageKey(cloud)
  })
  afterAll(() => cloud.close())

  function startProcess(mayCall: (call: StageKeyCall) => boolean = () => true): Platform {
    const { configuration, clients } = createCloudClients(cloud)
    const keys = interceptKeys(clients.keys, async ({ operation, input }, send) => {
      const { EncryptionContext: context } = inputSchema.parse(input)
      // Whether a role may use keys of apps, say the tests of its conditions.
      const isOfStageKey = operation === "Encrypt" || operation === "Decrypt"
      if (isOfStageKey && !mayCall({ action: `kms:${operation}`, context })) throw new AccessDenied()
      return send()
    })
    return createPlatform(configuration, { ...clients, keys })
  }

  test.each([
    ["encrypt", ["secret", "private"]],
    ["get-keys", ["secret", "value", "private"]],
    ["get-app-keys", ["secret", "value", "private"]],
    ["create-client-side-token", ["value", "private"]],
    ["get-callback-secret", ["value", "private"]],
    ["create-webhook-endpoint", ["value", "private"]],
    ["decrypt", []],
    ["create-app", ["public", "secret", "value", "private"]],
    ["rotate-keys", ["public", "secret", "value", "private"]],
  ] as const)("answers %s, and cannot open the parts %j", async (id, refused) => {
    const other = startProcess()
    const given = await prepareTeam(other, createService(other).endpoints)
    const wanted = [await requestOf(id)(given)].flat()[0] ?? {}
    const limited = startProcess(createAccess(id))
    const { endpoints } = createService(limited)
    const answer = await sendRequest(endpoints, id, given, wanted, randomUUID())
    expect(answer.statusCode, answer.body).toBeLessThan(300)
    for (const part of KEY_PARTS) {
      const opened = Promise.resolve(startProcess(createAccess(id)).keyring.open(given.app, 1, part))
      if (refused.some((each) => each === part)) await expect(opened).rejects.toBeInstanceOf(AccessDenied)
      else await expect(opened).resolves.toMatchObject({ version: 1 })
    }
  })
})

const inputSchema = z.object({ EncryptionContext: z.record(z.string(), z.string()).default({}) })

class AccessDenied extends Error {
  override readonly name = "AccessDeniedException"
}

function requestOf(id: string) {
  const found = ENDPOINT_REQUESTS[id]
  if (found === undefined) throw new Error(`No request tries ${id}`)
  return found
}
