import * as z from "zod"
import { documentOf } from "../document-of.ts"
import { type LoadTarget, sendRequests } from "../http-load.ts"
import { cpuMicrosecondsOf } from "../measure-process.ts"
import { median } from "../median.ts"
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
import type { Measured } from "./measured.ts"

const ROUNDS = 9
/** How much of the process's CPU time each turn takes, about. */
const SLICE_MICROSECONDS = 200_000
const WARM_UP_REQUESTS = 3_000

/** Microseconds of CPU time for each request. */
interface Turn {
  readonly own: number
  readonly limit: number
}

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
  const warm: { readonly name: string; readonly turnOf: (isLimitFirst: boolean) => Promise<Turn> }[] = []
  for (const { name, target, limit } of pairs) {
    const measureOwn = await warmedUp(target, cpuTime)
    const measureLimit = await warmedUp(limit, cpuTime)
    const turnOf = async (isLimitFirst: boolean) => {
      const first = isLimitFirst ? await measureLimit() : null
      const own = await measureOwn()
      return { own, limit: first ?? (await measureLimit()) }
    }
    warm.push({ name, turnOf })
  }
  const turns = new Map(pairs.map(({ name }): [string, Turn[]] => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    const first = round % warm.length
    for (const { name, turnOf } of [...warm.slice(first), ...warm.slice(0, first)]) {
      turns.get(name)?.push(await turnOf(round % 2 === 0))
    }
  }
  return [...turns].map(([name, each]) => ({
    name,
    figure: median(each.map(({ own }) => own)),
    ratio: median(each.map(({ own, limit }) => limit / own)),
  }))
}

/**
 * Warms the process up for some requests, and returns what measures how much of its CPU time one of them takes, in
 * microseconds.
 */
async function warmedUp(target: LoadTarget, cpuTime: CpuTime): Promise<() => Promise<number>> {
  const perRequest = async (amount: number) => {
    const before = await cpuTime()
    await sendRequests(target, amount)
    return ((await cpuTime()) - before) / amount
  }
  await sendRequests(target, WARM_UP_REQUESTS)
  const amount = Math.ceil(SLICE_MICROSECONDS / (await perRequest(WARM_UP_REQUESTS)))
  return () => perRequest(amount)
}
