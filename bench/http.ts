import * as z from "zod"
import type { Row } from "./benchmark.ts"
import { documentOf } from "./document-of.ts"
import { CONNECTIONS, type LoadTarget, requestsPerSecond } from "./http-load.ts"
import { median } from "./median.ts"
import { type ServerProcess, startSealway, startServer } from "./server-process.ts"

export const description = `\`POST /encrypt\` of \`npm start\` against a bare \`node:http\` server that parses JSON and writes it back, each in one
process on loopback, ${CONNECTIONS} connections, under load by autocannon from a third process. They take turns; the figure is
the median, \`ratio\` the median of the turns' ratios. A warm request makes no AWS call; what is counted reads anew what
caches may not keep longer than 10 seconds.`

const ROUNDS = 7
const SECONDS = 2
const WARM_UP_SECONDS = 3
const REQUIRED_FOR_1_FIELD = 0.35

export async function run(): Promise<readonly Row[]> {
  const [echo, sealway] = [startServer("echo-server.ts"), startSealway()]
  try {
    const { port } = z.object({ port: z.int() }).parse(await echo.nextLine())
    const appSchema = z.object({ url: z.string(), id: z.string(), apiKey: z.string() })
    const { url, id, apiKey } = appSchema.parse(await sealway.nextLine())
    const headers = {
      "content-type": "application/json",
      authorization: `Basic ${Buffer.from(`${id}:${apiKey}`).toString("base64")}`,
    }
    const rows: Row[] = []
    for (const fields of [1, 100]) {
      const body = documentOf(fields)
      const echoTarget = { url: `http://127.0.0.1:${port}/`, headers, body }
      const sealwayTarget = { url: `${url}/encrypt`, headers, body }
      rows.push(...(await compareServers(fields, echoTarget, sealwayTarget, sealway)))
    }
    return rows
  } finally {
    echo.stop()
    sealway.stop()
  }
}

async function compareServers(
  fields: number,
  echoTarget: LoadTarget,
  sealwayTarget: LoadTarget,
  sealway: ServerProcess,
): Promise<readonly Row[]> {
  for (const target of [echoTarget, sealwayTarget]) await requestsPerSecond(target, WARM_UP_SECONDS)
  const callsBefore = await awsCallsOf(sealway)
  const turns: { echo: number; encrypt: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    turns.push({
      echo: await requestsPerSecond(echoTarget, SECONDS),
      encrypt: await requestsPerSecond(sealwayTarget, SECONDS),
    })
  }
  const calls = (await awsCallsOf(sealway)) - callsBefore
  const requests = turns.reduce((total, { encrypt }) => total + encrypt * SECONDS, 0)
  const suffix = fields === 1 ? "1 field" : `${fields} fields`
  const plain = { ratio: null, requiredRatio: null }
  return [
    { name: `echo, ${suffix}`, figure: median(turns.map(({ echo }) => echo)), unit: "requests/s", ...plain },
    {
      name: `/encrypt, ${suffix}`,
      figure: median(turns.map(({ encrypt }) => encrypt)),
      unit: "requests/s",
      ratio: median(turns.map(({ echo, encrypt }) => encrypt / echo)),
      requiredRatio: fields === 1 ? REQUIRED_FOR_1_FIELD : null,
    },
    {
      name: `AWS calls of /encrypt, ${suffix}`,
      figure: (calls / requests) * 1000,
      unit: "per 1,000 requests",
      ...plain,
    },
  ]
}

async function awsCallsOf(sealway: ServerProcess): Promise<number> {
  sealway.writeLine("")
  return z.object({ awsCalls: z.int() }).parse(await sealway.nextLine()).awsCalls
}
