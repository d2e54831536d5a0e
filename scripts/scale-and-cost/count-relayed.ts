import { once } from "node:events"
import { createServer } from "node:http"
import { startFunction } from "@sealway/relay-proxy/testing"
import * as z from "zod"
import { countOperation, type OperationCounts } from "./count-operations.ts"
import { type CountedCloud, type Counting, countsOf, startCountedCloud } from "./counted-service.ts"

/** Few, since activity is written after 5 seconds by a timer that nothing advances here. */
const WARM_REQUESTS = 10
const SECRET = "0".repeat(64)
const BODY = JSON.stringify({ card: "4242424242424242" })
const ROUTE = {
  path: "/**",
  request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.card" }] }],
}

/** Counts a request through a relay that encrypts one of its values, in the function that CloudFront calls. */
export async function countRelayed(): Promise<OperationCounts> {
  const destination = createServer((request, response) => {
    request.resume().on("end", () => response.end("done"))
  }).listen(0, "127.0.0.1")
  await once(destination, "listening")
  const address = destination.address()
  if (address === null || typeof address === "string") throw new Error("The destination has no port")
  const cloud = await startCountedCloud()
  try {
    const { relayDomain } = z
      .object({ relayDomain: z.string() })
      .parse(
        await cloud
          .newEnvironment()
          .send({
            endpointId: "create-relay",
            body: { destinationDomain: `http://127.0.0.1:${address.port}`, routes: [ROUTE] },
            status: 201,
          }),
      )
    const { counting, close } = startCountedFunction(cloud)
    const counts = await countOperation(counting, relayDomain, WARM_REQUESTS)
    await close()
    return { name: "through a relay, one value encrypted", ...counts }
  } finally {
    await cloud.close()
    destination.closeAllConnections()
    destination.close()
  }
}

/** Starts one environment of the function. A request is named by its domain. */
function startCountedFunction({ newProcess, appId, apiKey }: CountedCloud) {
  const { platform, calls, passTime } = newProcess()
  const { ask, close } = startFunction(platform, { originSecret: SECRET })
  async function send(relayDomain: string): Promise<void> {
    const headers = {
      "x-relay-origin-secret": SECRET,
      "x-forwarded-host": relayDomain,
      "x-relay-viewer-ip": "192.0.2.1",
      "x-relay-target": "/",
      "x-service-app-id": appId,
      "x-service-api-key": apiKey,
      "content-type": "application/json",
    }
    const { head, body } = await ask({ headers, body: BODY })
    if (head.statusCode !== 200) throw new Error(`The relay answers ${head.statusCode}: ${body}`)
  }
  const counting: Counting<string> = {
    send,
    passTime,
    async count(relayDomain) {
      calls.length = 0
      await send(relayDomain)
      return countsOf(calls)
    },
  }
  return { counting, close }
}
