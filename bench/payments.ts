import { startLocalService } from "@sealway/local"
import * as z from "zod"
import type { Row } from "./benchmark.ts"
import { measureBinImport } from "./bin-import.ts"
import { CONNECTIONS, type LoadTarget, requestsPerSecond } from "./http-load.ts"
import { liftLimits } from "./lift-limits.ts"
import { median } from "./median.ts"
import { startSealway } from "./server-process.ts"

export const description = `What looking up cards costs, in a sandbox app. Above, requests to \`npm start\` on loopback, ${CONNECTIONS} connections, all warm:
\`/fingerprint\` of a card number's token, BIN lookups of the same token and of six digits, a PAR lookup, and card insights with all extensions of a
card whose number and security code are tokens. They take turns; \`ratio\` compares with \`/fingerprint\`. Then the AWS calls of a process that is warm, with a
BIN table of the team. Last, \`sealway bins import\` of a file into \`npm start\`, and the resident memory of both with the processes that they start (PSS: what they share counts once); \`ratio\` is what is allowed divided by what is used.`

const ROUNDS = 5
const SECONDS = 2
const WARM_UP_SECONDS = 2
const NUMBER = "4000000000000002"

const serverSchema = z.object({ url: z.string(), apiKey: z.string() })
type Server = z.infer<typeof serverSchema>

export async function run(): Promise<readonly Row[]> {
  return [...(await measureRequests()), ...(await countCalls()), ...(await measureBinImport())]
}

async function measureRequests(): Promise<readonly Row[]> {
  const process = startSealway()
  try {
    const server = serverSchema.parse(await process.nextLine())
    const targets = await targetsOf(server)
    for (const { target } of targets) await requestsPerSecond(target, WARM_UP_SECONDS)
    const turns: number[][] = []
    for (let round = 0; round < ROUNDS; round++) {
      const turn: number[] = []
      for (const { target } of targets) turn.push(await requestsPerSecond(target, SECONDS))
      turns.push(turn)
    }
    const of = (turn: readonly number[], index: number) => turn[index] ?? Number.NaN
    return targets.map(({ name }, index) => ({
      name,
      figure: median(turns.map((turn) => of(turn, index))),
      unit: "requests/s",
      ratio: index === 0 ? null : median(turns.map((turn) => of(turn, index) / of(turn, 0))),
      requiredRatio: null,
    }))
  } finally {
    process.stop()
  }
}

async function countCalls(): Promise<readonly Row[]> {
  let calls = 0
  const service = await startLocalService({
    port: 0,
    dataFolder: null,
    hosting: "container",
    unconfinedFunctions: true,
    onAwsCall: () => calls++,
  })
  try {
    const { url, credentials } = service
    await liftLimits(service)
    const [app] = credentials.apps
    if (app === undefined) throw new TypeError("A first start makes two apps")
    await activateTable(url, credentials.teamKey)
    const targets = await targetsOf({ url, apiKey: app.apiKey })
    const count = async (target: LoadTarget) => {
      calls = 0
      await post(target)
      return calls
    }
    for (const { target } of targets) await post(target)
    const rowOf = (name: string, figure: number): Row => ({
      name: `AWS calls of a ${name}`,
      figure,
      unit: "calls",
      ratio: null,
      requiredRatio: null,
    })
    const unread = targets.find(({ target }) => target.url.endsWith("/bin-lookups"))?.target
    if (unread === undefined) throw new TypeError("BIN lookups are measured")
    const body = JSON.stringify({ number: "4111111111111111" })
    const rows = [rowOf("BIN lookup in a range that was not read before", await count({ ...unread, body }))]
    for (const { name, target } of targets) rows.push(rowOf(`warm ${name}`, await count(target)))
    return rows
  } finally {
    await service.close()
  }
}

/** Activates a table of the team in place of the one of test ranges. */
async function activateTable(url: string, teamKey: string): Promise<void> {
  const send = async (method: string, path: string, body?: string, type = "application/json") => {
    const headers = { "api-key": teamKey, "content-type": type }
    const response = await fetch(`${url}/payments/bin-tables${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    })
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`)
    return response.json()
  }
  const { id } = z
    .object({ id: z.string() })
    .parse(await send("POST", "", JSON.stringify({ name: "Ranges" })))
  const rows = ["400000", "411111"].map((from) => JSON.stringify({ from, to: from, brand: "visa" }))
  await send("PUT", `/${id}/rows?from=0`, rows.join("\n"), "application/x-ndjson")
  await send("POST", `/${id}/activate`)
}

async function targetsOf(
  server: Server,
): Promise<readonly { readonly name: string; readonly target: LoadTarget }[]> {
  const headers = { "content-type": "application/json", "api-key": server.apiKey }
  const targetOf = (path: string, body: unknown): LoadTarget => ({
    url: server.url + path,
    headers,
    body: JSON.stringify(body),
  })
  const seal = async (value: string): Promise<unknown> => JSON.parse(await post(targetOf("/encrypt", value)))
  const [token, cvv] = [await seal(NUMBER), await seal("123")]
  const insight = {
    card: { number: token, expiry: { month: "09", year: "39" }, cvv },
    extensions: [
      ...["capabilities", "cvv", "cardholder", "address", "email", "phone"],
      "paymentAccountReference",
    ],
    cardholder: { firstName: "Ada", lastName: "Lovelace" },
    address: { line1: "1 Main Street", postalCode: "94107", state: "ca", country: "us" },
    email: "ada@example.com",
    phone: "0014155550100",
  }
  return [
    { name: "/fingerprint, a card number's token", target: targetOf("/fingerprint", { token }) },
    { name: "BIN lookup, a token", target: targetOf("/payments/bin-lookups", { number: token }) },
    { name: "BIN lookup, six digits", target: targetOf("/payments/bin-lookups", { number: "400000" }) },
    { name: "PAR lookup, a token", target: targetOf("/payments/par-lookups", { number: token }) },
    { name: "card insights, all extensions", target: targetOf("/insights/cards", insight) },
  ]
}

async function post({ url, headers, body }: LoadTarget): Promise<string> {
  const response = await fetch(url, { method: "POST", headers, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${text}`)
  return text
}
