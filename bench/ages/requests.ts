import autocannon from "autocannon"
import * as z from "zod"
import { serviceFlagsOf } from "../../scripts/node-flags.mjs"
import type { Row } from "../benchmark.ts"
import { median } from "../median.ts"
import { startServer } from "../server-process.ts"

const ROUNDS = 7
const SECONDS = 2
const CONNECTIONS = 8
const REQUIRED = 2.5

const serverSchema = z.object({
  url: z.string(),
  apiKey: z.string(),
  clients: z.array(z.string()),
  symmetric: z.array(z.string()),
})

/** Measures `POST /decrypt` of documents of 100 values of as many ages. */
export async function measureRequests(): Promise<readonly Row[]> {
  const child = startServer("ages/server-process.ts", [], serviceFlagsOf(process.versions.node))
  try {
    const { url, apiKey, clients, symmetric } = serverSchema.parse(await child.nextLine())
    const load = async (bodies: readonly string[]) => {
      let connections = 0
      const { requests, duration, errors, non2xx } = await autocannon({
        url: `${url}/decrypt`,
        connections: CONNECTIONS,
        duration: SECONDS,
        method: "POST",
        headers: { "content-type": "application/json", "api-key": apiKey },
        setupClient(client) {
          // Each connection reads other documents: none is read again while its AES keys are kept.
          client.setRequests(rotated(bodies, connections++).map((body) => ({ method: "POST", body })))
        },
      })
      if (errors + non2xx > 0) throw new Error(`${errors + non2xx} requests failed`)
      return requests.total / duration
    }
    const turns: { readonly own: number; readonly others: number }[] = []
    for (let round = -1; round < ROUNDS; round++) {
      const turn = { own: await load(symmetric), others: await load(clients) }
      if (round >= 0) turns.push(turn)
    }
    const unit = "requests/s"
    const name = "/decrypt, 100 values of as many ages:"
    return [
      {
        name: `${name} encrypted symmetrically`,
        figure: median(turns.map(({ own }) => own)),
        unit,
        ratio: null,
        requiredRatio: null,
      },
      {
        name: `${name} encrypted by clients`,
        figure: median(turns.map(({ others }) => others)),
        unit,
        ratio: median(turns.map(({ own, others }) => own / others)),
        requiredRatio: REQUIRED,
      },
    ]
  } finally {
    child.stop()
  }
}

function rotated(bodies: readonly string[], connection: number): readonly string[] {
  const start = Math.floor((connection * bodies.length) / CONNECTIONS)
  return [...bodies.slice(start), ...bodies.slice(0, start)]
}
