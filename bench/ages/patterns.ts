import type { Row } from "../benchmark.ts"
import { compare } from "../compare.ts"
import { type AgedApp, cardNumbers, createAgedApp, decryptDocument } from "./documents.ts"

const VALUES_PER_REQUEST = 50
const VALUES = 20_000
const REQUESTS = 400

/** Measures requests for values that clients encrypted, with the AES keys of earlier requests and without. */
export async function measurePatterns(): Promise<readonly Row[]> {
  const aged = await createAgedApp()
  const tokens = await aged.byClients(cardNumbers(VALUES))
  const forgetful: AgedApp = { ...aged, keyring: { ...aged.keyring, peek: () => undefined } }
  const zipf = createZipf(VALUES)
  let scanned = 0
  const patterns: Record<string, () => number> = {
    "bulk import": () => random(200),
    "Zipf 1.0": zipf,
    scan: () => scanned++ % VALUES,
  }
  const rows: Row[] = []
  for (const [pattern, draw] of Object.entries(patterns)) {
    const documents = Array.from({ length: REQUESTS }, () =>
      Buffer.from(JSON.stringify(Array.from({ length: VALUES_PER_REQUEST }, () => tokens[draw()]))),
    )
    const reading = (name: string, from: AgedApp) => {
      let next = 0
      const run = () => decryptDocument(documents[next++ % REQUESTS] ?? Buffer.alloc(0), from)
      return { name, items: VALUES_PER_REQUEST, run }
    }
    const results = await compare([reading("AES keys kept", aged), reading("not kept", forgetful)], {
      rounds: 9,
    })
    rows.push(
      ...results.map(({ name, microseconds, ratio }, index) => ({
        name: `${pattern}: ${name}`,
        figure: microseconds,
        unit: "µs/value",
        ratio: index === 0 ? null : ratio,
        requiredRatio: null,
      })),
    )
  }
  return rows
}

function random(below: number): number {
  return Math.floor(Math.random() * below)
}

/** Draws numbers below a limit; the n-th is drawn 1/n as often as the first. */
function createZipf(limit: number): () => number {
  const sums: number[] = []
  let sum = 0
  for (let rank = 1; rank <= limit; rank++) {
    sum += 1 / rank
    sums.push(sum)
  }
  return () => {
    const wanted = Math.random() * sum
    let [low, high] = [0, limit - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}
