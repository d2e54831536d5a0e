/**
 * Sends the values of a table to an endpoint in the batches of the command line, a number of requests at once, and
 * reads the answers: the speed for a client that does nothing else. Prints rows a second.
 *
 *     node raw-client.ts URL APP KEY ROWS BATCH_ROWS CONCURRENCY
 */
import { cardOf } from "./table.ts"

const [url = "", app = "", key = "", ...numbers] = process.argv.slice(2)
const [rows = 0, batchRows = 0, concurrency = 0] = numbers.map(Number)
const headers = {
  "content-type": "application/json",
  authorization: `Basic ${Buffer.from(`${app}:${key}`).toString("base64")}`,
}
const bodies: Buffer[] = []
for (let first = 0; first < rows; first += batchRows) {
  const length = Math.min(batchRows, rows - first)
  bodies.push(Buffer.from(JSON.stringify(Array.from({ length }, (_, index) => cardOf(first + index)))))
}
await send(bodies[0])
const startMs = performance.now()
await Promise.all(Array.from({ length: concurrency }, sendAll))
console.log(JSON.stringify({ rowsPerSecond: (rows / (performance.now() - startMs)) * 1000 }))

async function sendAll(): Promise<void> {
  for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) await send(body)
}

async function send(body: Buffer | undefined): Promise<void> {
  const response = await fetch(`${url}/encrypt`, {
    method: "POST",
    headers,
    body: new Uint8Array(body ?? []),
  })
  if (!response.ok) throw new Error(`The service answered with ${response.status}`)
  await response.arrayBuffer()
}
