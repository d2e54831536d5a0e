import * as z from "zod"
import { documentOf } from "../document-of.ts"
import type { LoadTarget } from "../http-load.ts"
import { lowerQuartile } from "../lower-quartile.ts"
import { cpuMicrosecondsOf } from "../measure-process.ts"
import {
  BUDGET_POLICY,
  createRole,
  decryptTarget,
  encryptTarget,
  policiesOf,
  post,
  type Server,
  serverSchema,
} from "../sealway-requests.ts"
import { startSealway, startServer } from "../server-process.ts"
import { openConnections } from "./connections.ts"
import type { Measured } from "./measured.ts"

const ROUNDS = 24
/** How much of the process's CPU time each turn takes, about. */
const SLICE_MICROSECONDS = 40_000
const WARM_UP_REQUESTS = 1_000
/** How many requests tell how many fill a turn. */
const SAMPLED_REQUESTS = 200

/** Requests, and what they are compared with. */
interface Pair {
  readonly name: string
  readonly target: LoadTarget
  readonly limit: LoadTarget
}

/** Compares requests to one process with others to the same one. @param isWanted says which figures to measure, by name */
export async function measureRequests(isWanted: (name: string) => boolean): Promise<readonly Measured[]> {
  const [destination, sealway] = [startServer("echo-server.ts"), startSealway()]
  try {
    const server = serverSchema.parse(await sealway.nextLine())
    const { url } = z.object({ url: z.string() }).parse(await destination.nextLine())
    const pairs = [
      ...(await vaultPairs(server)),
      ...(await policyPairs(server)),
      ...(await relayPairs(server, url)),
    ]
    const wanted = pairs.filter(({ name }) => isWanted(name))
    return await comparePairs(wanted, async () => {
      sealway.writeLine("")
      await sealway.nextLine()
      return cpuMicrosecondsOf(sealway.pid)
    })
  } finally {
    destination.stop()
    sealway.stop()
  }
}

async function vaultPairs(server: Server): Promise<readonly Pair[]> {
  const pairs: Pair[] = []
  for (const size of [1, 100]) {
    const document = documentOf(size)
    const values = size === 1 ? "1 value" : `${size} values`
    for (const target of [encryptTarget(server, document), await decryptTarget(server, document)]) {
      const name = `http: POST ${new URL(target.url).pathname} of ${values}`
      pairs.push({ name, target, limit: { ...target, url: server.echoUrl } })
    }
  }
  return pairs
}

async function policyPairs(server: Server): Promise<readonly Pair[]> {
  await createRole(server, "plain", policiesOf(1))
  await createRole(server, "budget", [BUDGET_POLICY])
  const [none, plain, budget] = await Promise.all(
    [null, "plain", "budget"].map((role) => decryptTarget(server, documentOf(1), role)),
  )
  if (none === undefined || plain === undefined || budget === undefined)
    throw new TypeError("There are three")
  return [
    { name: "policies: POST /decrypt of 1 value with a role", target: plain, limit: none },
    { name: "policies: POST /decrypt of 1 value with a budget", target: budget, limit: none },
  ]
}

async function relayPairs(server: Server, destination: string): Promise<readonly Pair[]> {
  const body = JSON.stringify({ name: "Ada Lovelace", card: "4242424242424242", padding: "x".repeat(950) })
  const encryptCard = [{ action: "encrypt", selections: [{ type: "json", selector: "$.card" }] }]
  const pairOf = async (
    name: string,
    destinationDomain: string,
    request: readonly object[],
  ): Promise<Pair> => {
    const routes = request.length === 0 ? [] : [{ method: null, path: "/**", request, response: [] }]
    const { relayDomain } = z
      .object({ relayDomain: z.string() })
      .parse(JSON.parse(await post(server, "/relays", JSON.stringify({ destinationDomain, routes }))))
    const headers = { "content-type": "application/json" }
    return {
      name,
      target: { url: `${server.relayUrl}/`, headers: { ...headers, host: relayDomain }, body },
      limit: { url: `${server.echoUrl}/`, headers, body },
    }
  }
  return [
    await pairOf("relay: 1 KB passed", destination, []),
    await pairOf(
      "relay: 1 KB with a field encrypted",
      destination.replace("127.0.0.1", "localhost"),
      encryptCard,
    ),
  ]
}

/** Returns the CPU time that a process has taken, in microseconds, once it has written what it records of earlier requests. */
type CpuTime = () => Promise<number>

/** Each round starts with another pair, and the two of a pair take turns in being first. */
async function comparePairs(pairs: readonly Pair[], cpuTime: CpuTime): Promise<readonly Measured[]> {
  const measured: { readonly name: string; readonly own: Measurement; readonly limit: Measurement }[] = []
  for (const { name, target, limit } of pairs) {
    measured.push({ name, own: await warmedUp(target, cpuTime), limit: await warmedUp(limit, cpuTime) })
  }
  for (let round = 0; round < ROUNDS; round++) {
    const first = round % measured.length
    for (const { own, limit } of [...measured.slice(first), ...measured.slice(0, first)]) {
      for (const each of round % 2 === 0 ? [limit, own] : [own, limit]) await each.takeTurn()
    }
  }
  return measured.map(({ name, own, limit }) => {
    const figure = lowerQuartile(own.turns)
    return { name, figure, ratio: lowerQuartile(limit.turns) / figure }
  })
}

/** How much of the process's CPU time some requests take. */
interface Measurement {
  /** Microseconds for each request, of each turn. */
  readonly turns: readonly number[]
  takeTurn(): Promise<void>
}

/** Warms the process up for some requests. */
async function warmedUp(target: LoadTarget, cpuTime: CpuTime): Promise<Measurement> {
  const perRequest = async (amount: number) => {
    const connections = await openConnections(target)
    const before = await cpuTime()
    await connections.send(amount)
    const microseconds = (await cpuTime()) - before
    connections.close()
    return microseconds / amount
  }
  await perRequest(WARM_UP_REQUESTS)
  const amount = Math.ceil(SLICE_MICROSECONDS / (await perRequest(SAMPLED_REQUESTS)))
  const turns: number[] = []
  return {
    turns,
    async takeTurn() {
      turns.push(await perRequest(amount))
    },
  }
}
