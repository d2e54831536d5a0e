import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest"
import * as z from "zod"
import { type RelayAnswer, type RelayRequest, sendToRelay } from "../support/relay-request.ts"
import { useService } from "../support/service.ts"
import { CARD, CASES, type FrameworkCase } from "./frameworks/cases.ts"
import { FRAMEWORKS, startFramework } from "./frameworks/start-framework.ts"

const service = useService()

type Name = keyof typeof FRAMEWORKS
const NAMES = Object.keys(FRAMEWORKS) as Name[]

const running = new Map<Name, Awaited<ReturnType<typeof startFramework>>>()
beforeAll(async () => {
  for (const name of NAMES) {
    const command = FRAMEWORKS[name].command()
    if (command !== null) running.set(name, await startFramework(command))
  }
})
afterAll(async () => {
  for (const server of running.values()) await server[Symbol.asyncDispose]()
})

/** Sends a request to a framework itself. */
const sendTo = (port: number, request: Omit<RelayRequest, "relayDomain">) =>
  sendToRelay(`http://127.0.0.1:${port}`, { relayDomain: `127.0.0.1:${port}`, ...request })

/** Creates a relay of an app of its own to a framework, through which requests without a route pass. */
async function relayTo(port: number, settings: object): Promise<string> {
  const { auth } = await service.newApp("sandbox")
  const wanted = { destinationDomain: `http://127.0.0.1:${port}`, unmatched: "pass", ...settings }
  const { json, status, text } = await service.post("/relays", wanted, { auth })
  expect(status, text).toBe(201)
  return z.object({ relayDomain: z.string() }).parse(json).relayDomain
}

function portOf(name: Name, { skip }: Pick<TestContext, "skip">): number {
  const server = running.get(name)
  return server?.port ?? skip(`${name} is not installed: ${FRAMEWORKS[name].installation}`)
}

function requestOf({ method = "POST", path = "/pay", type, headers = {}, body = "" }: FrameworkCase) {
  return { method, path, body, headers: { ...headers, ...(type !== undefined && { "content-type": type }) } }
}

/** Whether the relay has refused, or what it has passed on holds a token. */
function isProtected({ headers, body }: RelayAnswer): boolean {
  return headers["x-service-error-code"] !== undefined || body.includes("ev:")
}

describe("no framework gets plaintext of what no route and no selection describes", () => {
  test.for(CASES)("$framework $what", async (each, context) => {
    const port = portOf(each.framework, context)
    const direct = await sendTo(port, requestOf(each))
    expect(direct.body.toString(), "the framework reads it").toContain(CARD)
    const relayDomain = await relayTo(port, each.relay)
    const answer = await sendToRelay(service.service.relayUrl, { relayDomain, ...requestOf(each) })
    expect(answer.body.toString()).not.toContain(CARD)
    expect(isProtected(answer), answer.body.toString()).toBe(true)
  })
})

describe("no framework leads a client to itself", () => {
  test.for(["Starlette", "Flask"] as const)("%s, when it wants a slash at the end", async (name, context) => {
    const port = portOf(name, context)
    const relayDomain = await relayTo(port, {
      routes: [{ path: "/slash", request: [{ action: "encrypt", selections: [{ selector: "$.card" }] }] }],
    })
    const pay = (domain: string, path: string) =>
      sendToRelay(service.service.relayUrl, {
        relayDomain: domain,
        path,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ card: CARD }),
      })
    const direct = await sendTo(port, { path: "/slash" })
    expect(direct.headers.location).toBe(`http://127.0.0.1:${port}/slash/`)
    const { headers } = await pay(relayDomain, "/slash")
    const { host, pathname } = new URL(headers.location ?? "")
    const followed = await pay(host, pathname)
    expect([followed.status, isProtected(followed)]).toEqual([200, true])
    expect(followed.body.toString()).not.toContain(CARD)
  })
})
