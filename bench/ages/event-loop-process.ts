import { setTimeout as delay } from "node:timers/promises"
import { median } from "../median.ts"
import { cardNumbers, createAgedApp, decryptDocument, documentsOf } from "./documents.ts"

/** Prints the median of the longest blocks of the event loop while documents of 10,000 values are decrypted. */
const SIZE = 10_000
const ROUNDS = 7

const aged = await createAgedApp()
const pool = cardNumbers(2 * SIZE)
const [clients, symmetric] = [
  documentsOf(await aged.byClients(pool), SIZE),
  documentsOf(await aged.symmetrically(pool), SIZE),
]
console.log(
  JSON.stringify({ clients: await longestBlock(clients), symmetric: await longestBlock(symmetric) }),
)

async function longestBlock(documents: readonly Buffer[]): Promise<number> {
  const longest: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    longest.push(
      await watch(() => decryptDocument(documents[round % documents.length] ?? Buffer.alloc(0), aged)),
    )
  }
  return median(longest)
}

async function watch(work: () => Promise<unknown>): Promise<number> {
  let isWatching = true
  let longest = 0
  let last = performance.now()
  const tick = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (isWatching) setImmediate(tick)
  }
  await delay(50)
  last = performance.now()
  setImmediate(tick)
  await work()
  isWatching = false
  return longest
}
