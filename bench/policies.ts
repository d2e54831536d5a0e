import type { App } from "@sealway/accounts"
import { startLocalService } from "@sealway/local"
import { createDataRoles } from "@sealway/policies"
import type { Row } from "./benchmark.ts"
import { compare } from "./compare.ts"
import { documentOf } from "./document-of.ts"
import { CONNECTIONS, requestsPerSecond } from "./http-load.ts"
import { liftLimits } from "./lift-limits.ts"
import { median } from "./median.ts"
import { BUDGET_POLICY, createRole, decryptTarget, policiesOf, serverSchema } from "./sealway-requests.ts"
import { type ServerProcess, startSealway } from "./server-process.ts"

export const description = `What data policies cost. Above, one decision in one process, of a role with 1, 10 and 100 policies with conditions on source,
address, API key and time of day, all but the last of which do not hold: Cedar is asked about a new caller, and remembered is what
it said of one from the same address, key and source within the minute. Below, \`POST /decrypt\` of \`npm start\` on loopback, ${CONNECTIONS} connections:
a document of 100 values without a role against the same with a role of 1 policy, and that against one with a budget, which is
counted in DynamoDB. They take turns; \`ratio\` is the median of the turns' ratios.`

const FIELDS = 100
const ROUNDS = 9
const SECONDS = 2
const WARM_UP_SECONDS = 2
const REQUIRED_WITH_ROLE = 0.7
const REQUIRED_WITH_BUDGET = 0.8

export async function run(): Promise<readonly Row[]> {
  return [...(await measureDecisions()), ...(await measureRequests())]
}

async function measureDecisions(): Promise<readonly Row[]> {
  const service = await startLocalService({ port: 0, dataFolder: null, hosting: "container" })
  try {
    const { platform, url, credentials } = service
    await liftLimits(service)
    const [first] = credentials.apps
    const app = first && (await platform.directory.app(first.id))
    if (!first || !app) throw new TypeError("A first start makes two apps")
    const sizes = [1, 10, 100] as const
    for (const size of sizes) await createRole({ url, ...first }, `role-${size}`, policiesOf(size))
    const dataRoles = createDataRoles(platform)
    const contenders = sizes.flatMap((size) => {
      const role = `${size} ${size === 1 ? "policy" : "policies"}`
      const decide = (ip: string) => decideOnce(dataRoles, app, `role-${size}`, ip)
      let address = 0
      const nextAddress = () => `127.${(++address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`
      return [
        { name: `${role}, a caller like one before`, items: 1, run: () => decide("127.0.0.1") },
        { name: `${role}, a new caller`, items: 1, run: () => decide(nextAddress()) },
      ]
    })
    const [head, ...rest] = contenders
    if (head === undefined) throw new TypeError("There are contenders")
    const plain = { ratio: null, requiredRatio: null }
    const results = await compare([head, ...rest])
    return results.map(({ name, microseconds }) => ({ name, figure: microseconds, unit: "µs", ...plain }))
  } finally {
    await service.close()
  }
}

async function decideOnce(
  dataRoles: ReturnType<typeof createDataRoles>,
  app: App,
  role: string,
  ip: string,
): Promise<void> {
  const context = { source: "api", ip, apiKeyId: "key_11111111111111111111111111" } as const
  const decisions = await dataRoles.decide(app, [{ role, values: 1 }], context)
  if (decisions.get(role)?.decision !== "permit")
    throw new Error("The decision is not the one to be measured")
}

async function measureRequests(): Promise<readonly Row[]> {
  const process: ServerProcess = startSealway()
  try {
    const server = serverSchema.parse(await process.nextLine())
    await createRole(server, "plain", policiesOf(1))
    await createRole(server, "budget", [BUDGET_POLICY])
    const targets = await Promise.all(
      [null, "plain", "budget"].map((role) => decryptTarget(server, documentOf(FIELDS), role)),
    )
    for (const target of targets) await requestsPerSecond(target, WARM_UP_SECONDS)
    const turns: number[][] = []
    for (let round = 0; round < ROUNDS; round++) {
      const turn: number[] = []
      for (const target of targets) turn.push(await requestsPerSecond(target, SECONDS))
      turns.push(turn)
    }
    const figure = (index: number) => median(turns.map((turn) => turn[index] ?? Number.NaN))
    const ratio = (index: number, to: number) =>
      median(turns.map((turn) => (turn[index] ?? Number.NaN) / (turn[to] ?? Number.NaN)))
    const unit = "requests/s"
    return [
      { name: "/decrypt, no role", figure: figure(0), unit, ratio: null, requiredRatio: null },
      {
        name: "/decrypt, a role with 1 policy",
        figure: figure(1),
        unit,
        ratio: ratio(1, 0),
        requiredRatio: REQUIRED_WITH_ROLE,
      },
      {
        name: "/decrypt, a role with 1 policy with a budget",
        figure: figure(2),
        unit,
        ratio: ratio(2, 1),
        requiredRatio: REQUIRED_WITH_BUDGET,
      },
    ]
  } finally {
    process.stop()
  }
}
