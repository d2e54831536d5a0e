import { strict as assert } from "node:assert"
import { ENDPOINTS } from "@sealway/api"
import { appPartition, type Item, teamPartition } from "@sealway/ports"
import * as z from "zod"
import { ENDPOINT_REQUESTS, prepareTeam } from "../../support/endpoint-requests.ts"
import type { GrantRequest, GrantRequests, Prerequisites } from "../../support/grant-request.ts"
import { createRelayRequests } from "../../support/relay-grant-requests.ts"
import type { Program } from "../program.ts"
import { checkAuditLog, isDone, sendUntilClear } from "../world/accounts.ts"
import type { Answer, World } from "../world/world.ts"

const OF_FUNCTIONS = "needs a deployed function; `programs/run-twice.ts` has one"
/** Endpoints whose sample requests need what a world does not have. `test/api/write-crashes.test.ts` kills these. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  "complete-file": "needs uploaded parts; `programs/complete-and-delete.ts` has some",
  "delete-file": "the same",
  "delete-function": OF_FUNCTIONS,
  "delete-function-run": OF_FUNCTIONS,
  "create-run-token": OF_FUNCTIONS,
  "create-run-token-v2": OF_FUNCTIONS,
  "revoke-session": "ends the session that it is sent with: there is nobody to repeat it",
  "create-app": "asks KMS for a key; `test/hsm-keys.test.ts` does",
  "verify-relay-custom-domain": "asks a name server",
  "delete-relay-custom-domain": "the same, when it is prepared",
  "delete-relay": "the same, when it is prepared",
}

/** Custom domains are not verified here, so that nobody asks this one. */
const REQUESTS: GrantRequests = {
  ...ENDPOINT_REQUESTS,
  ...createRelayRequests({ address: "127.0.0.1:9", zone: new Map(), close: async () => {} }),
}

/** The endpoints that change something. */
export const WRITING: readonly string[] = Object.values(ENDPOINTS)
  .flat()
  .filter(({ id, writes }) => writes !== undefined && writes !== "once" && ELSEWHERE[id] === undefined)
  .map(({ id }) => id)

/** Prepares a team for a request that changes something. */
export async function prepareWrite(world: World, id: string) {
  const { endpoints, platform } = world.start()
  const given = await prepareTeam(platform, endpoints)
  const requests = [(await REQUESTS[id]?.(given)) ?? []].flat()
  const request = requests.find(({ status = 200 }) => status < 400)
  if (request === undefined) throw new Error(`No sample request of ${id} succeeds`)
  return { given, request: { ...sentBy(given, request), idempotencyKey: "key" } }
}

/** For each endpoint that changes something: two send the same request with the same `Idempotency-Key`. */
export const writes: readonly Program[] = WRITING.map((id) => ({
  name: `${id} twice`,
  promises: "a repeated request is carried out once, and answered the same",
  bounds: [
    { preemptions: 2, faults: 0 },
    { preemptions: 0, faults: 1 },
  ],
  async prepare(world) {
    const { given, request } = await prepareWrite(world, id)
    const before = countRecords(world, given)
    let expected: Counts | null = null
    return (world) => {
      const answers: Answer[] = []
      const send = async () => {
        answers.push(await sendUntilClear(world, id, request))
      }
      return {
        actors: { first: send, again: send },
        async check() {
          const done = answers.filter((answer) => isDone(answer) === true)
          const refused = answers.filter((answer) => isDone(answer) === false && answer?.status !== 409)
          assert.equal(refused.length, 0, `a repeated request is refused: ${refused[0]?.text}`)
          assert.ok(done.length > 0, `nobody was told that it is done: ${answers.map((each) => each?.text)}`)
          assert.equal(
            new Set(done.map((answer) => answer?.text)).size,
            1,
            "a repeated request is answered otherwise",
          )
          const made = difference(countRecords(world, given), before)
          expected ??= made
          assert.deepEqual(
            made.records,
            expected.records,
            "a repeated request is carried out twice, or in part",
          )
          for (const [action, count] of Object.entries(expected.actions)) {
            assert.ok((made.actions[action] ?? 0) >= count, `${action} is not in the audit log`)
          }
          await checkAuditLog(world.start(), given.team.id)
        },
      }
    }
  },
}))

function sentBy(
  { apiKey, teamKey }: Prerequisites,
  { auth = "app", path, query, headers, body, text }: GrantRequest,
) {
  const credentials = { app: { apiKey }, team: { apiKey: teamKey }, nobody: {} }[auth]
  return {
    ...credentials,
    ...(path && { pathParameters: path }),
    ...(query && { queryStringParameters: query }),
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
    ...(text !== undefined && { text }),
  }
}

/** What a team has. */
interface Counts {
  /** How many records of each kind, and how often they were changed. */
  readonly records: Readonly<Record<string, number>>
  /** How often each action was recorded. */
  readonly actions: Readonly<Record<string, number>>
}

/** Records that a repetition may leave: a mark of a honey token is reserved before it is used, and for good. */
const LEFT_BEHIND: readonly string[] = ["honey-mark", "webhook-event", "webhook-pending"]

const blockSchema = z.object({ records: z.array(z.object({ action: z.string() })) })

function countRecords(world: World, { team, app }: Prerequisites): Counts {
  const [records, actions] = [new Map<string, number>(), new Map<string, number>()]
  const partitions = [teamPartition(team.id), appPartition(app.id)]
  for (const [key, item] of [...world.tables.values()].flatMap((table) => [...table])) {
    const [pk = "", sk = ""] = key.split("\n")
    const [kind = ""] = sk.split("#")
    if (!partitions.includes(pk) || LEFT_BEHIND.includes(kind)) continue
    if (kind === "audit") for (const { action } of blockSchema.parse(item).records) add(actions, action)
    else {
      add(records, kind)
      add(records, `changes of ${kind}`, changesOf(item))
    }
  }
  return { records: Object.fromEntries(records), actions: Object.fromEntries(actions) }
}

/** Some records begin with another revision than 1: the time of their creation, or a random number. */
function changesOf({ revision = 1, createdAt = Number.POSITIVE_INFINITY }: Item): number {
  return Number(revision) >= Number(createdAt) ? Number(revision) - Number(createdAt) : Number(revision)
}

function add(counts: Map<string, number>, kind: string, count = 1): void {
  counts.set(kind, (counts.get(kind) ?? 0) + count)
}

function difference(after: Counts, before: Counts): Counts {
  const changed = (name: keyof Counts) =>
    Object.fromEntries(
      [...new Set([...Object.keys(before[name]), ...Object.keys(after[name])])]
        .sort()
        .map((kind): [string, number] => [kind, (after[name][kind] ?? 0) - (before[name][kind] ?? 0)])
        .filter(([, count]) => count !== 0),
    )
  return { records: changed("records"), actions: changed("actions") }
}
