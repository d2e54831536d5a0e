import * as z from "zod"
import type { Row } from "./benchmark.ts"
import { CONNECTIONS, findLoadGenerator, type LoadTarget } from "./http-load.ts"
import { type ServerProcess, startServer } from "./server-process.ts"

export const description = `\`POST /encrypt\` of \`npm start\` against a bare \`node:http\` server that parses JSON and writes it back, both in one
process on loopback, ${CONNECTIONS} connections. They take turns; the figure is the median, \`ratio\` the median of the turns' ratios.`

const ROUNDS = 7
const SECONDS = 2
const WARM_UP_SECONDS = 3
const REQUIRED_FOR_1_FIELD = 0.35

export async function run(): Promise<readonly Row[]> {
  const generator = await findLoadGenerator()
  const [echo, sealway] = [startServer("echo-server.ts"), startServer("sealway-server.ts")]
  try {
    const { port } = z.object({ port: z.int() }).parse(await echo.nextLine())
    const app = z
      .object({ url: z.string(), id: z.string(), apiKey: z.string() })
      .parse(await sealway.nextLine())
    const headers = {
      "content-type": "application/json",
      authorization: `Basic ${Buffer.from(`${app.id}:${app.apiKey}`).toString("base64")}`,
    }
    const rows: Row[] = []
    for (const fields of [1, 100]) {
      const body = JSON.stringify(
        Object.fromEntries(
          Array.from({ length: fields }, (_, index) => [`field${index}`, "4242424242424242"]),
        ),
      )
      const targets: readonly [LoadTarget, LoadTarget] = [
        { url: `http://127.0.0.1:${port}/`, headers, body },
        { url: `${app.url}/encrypt`, headers, body },
      ]
      for (const target of targets) await generator.requestsPerSecond(target, WARM_UP_SECONDS)
      const callsBefore = await awsCallsOf(sealway)
      const startedAt = performance.now()
      const turns: { echo: number; encrypt: number }[] = []
      for (let round = 0; round < ROUNDS; round++) {
        turns.push({
          echo: await generator.requestsPerSecond(targets[0], SECONDS),
          encrypt: await generator.requestsPerSecond(targets[1], SECONDS),
        })
      }
      const calls = (await awsCallsOf(sealway)) - callsBefore
      const seconds = (performance.now() - startedAt) / 1000
      const requests = turns.reduce((total, { encrypt }) => total + encrypt * SECONDS, 0)
      rows.push(
        row(
          `echo, ${fields} field(s), by ${generator.name}`,
          median(turns.map((turn) => turn.echo)),
          "requests/s",
        ),
        {
          ...row(`/encrypt, ${fields} field(s)`, median(turns.map((turn) => turn.encrypt)), "requests/s"),
          ratio: median(turns.map((turn) => turn.encrypt / turn.echo)),
          requiredRatio: fields === 1 ? REQUIRED_FOR_1_FIELD : null,
        },
        row(`AWS calls in the ${Math.round(seconds)} s of ${Math.round(requests)} requests`, calls, "calls"),
      )
    }
    return rows
  } finally {
    echo.stop()
    sealway.stop()
  }
}

async function awsCallsOf(sealway: ServerProcess): Promise<number> {
  sealway.writeLine("")
  return z.object({ awsCalls: z.int() }).parse(await sealway.nextLine()).awsCalls
}

function row(name: string, figure: number, unit: string): Row {
  return { name, figure, unit, ratio: null, requiredRatio: null }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
