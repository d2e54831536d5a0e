import { expect } from "vitest"
import * as z from "zod"
import { newSlug } from "../support/policies.ts"
import { basic, type TestService } from "../support/service.ts"

/** The parts of the requests. */
export interface ErrorWorld {
  /** Of the destination that all relays except `deadDomain` lead to. */
  readonly destinationDomain: string
  /** Of a relay with a route for each purpose. */
  readonly domain: string
  /** Of a relay that requires an API key. */
  readonly closedDomain: string
  /** Of a relay with nothing behind it. */
  readonly deadDomain: string
  /** Of these relays. */
  readonly relayIds: readonly string[]
  /** A token whose policies permit decryption. */
  readonly token: string
  /** A token whose policies do not. */
  readonly lockedToken: string
  /** Of the relays' app, without any scope. */
  readonly scopelessKey: string
  /** Of the relays' app, with no value left for a quarter of an hour. */
  readonly exhaustedKey: string
  /** The relays' app. */
  readonly appId: string
  /** A valid API key of it. */
  readonly key: string
  /** Another app's. */
  readonly foreign: { readonly user: string; readonly key: string }
  /** A valid `Proxy-Authorization`. */
  readonly proxyAuthorization: string
}

/** Creates the relays, tokens and keys that it takes to provoke errors. @param value the value in the tokens */
export async function createErrorWorld(
  service: TestService,
  destinationDomain: string,
  value: string,
): Promise<ErrorWorld> {
  const { app, auth } = service.sandbox
  const [locked, archived] = [newSlug(), newSlug()]
  for (const slug of [locked, archived]) await service.newRole(app, slug)
  const encryptsCard = (role: string | null = null) => [
    { action: "encrypt", selections: [{ type: "json", selector: "$.card", role }] },
  ]
  const decrypts = {
    path: "/decrypt",
    request: [{ action: "decrypt", selections: [{ type: "json", selector: "$..*" }] }],
  }
  const relayIds: string[] = []
  const createRelay = async (settings: object) => {
    const answer = await service.post("/relays", settings)
    expect(answer.status, answer.text).toBe(201)
    const { id, relayDomain } = z.object({ id: z.string(), relayDomain: z.string() }).parse(answer.json)
    relayIds.push(id)
    return relayDomain
  }
  const seal = async (headers: Record<string, string> = {}) =>
    z.string().parse((await service.post("/encrypt", JSON.stringify(value), { headers })).json)
  const exhausted = await service.post(
    `/apps/${app.id}/api-keys`,
    { name: "Exhausted", scopes: [], limits: { valuesPerSecond: 1 } },
    { auth: service.team.auth },
  )
  const { key: exhaustedKey } = z.object({ key: z.string() }).parse(exhausted.json)
  const values = JSON.stringify(Array(1_000).fill(1))
  const used = await service.post("/encrypt", values, { auth: { user: app.id, key: exhaustedKey } })
  expect(used.status, used.text).toBe(200)
  const world = {
    destinationDomain,
    domain: await createRelay({
      destinationDomain,
      routes: [
        decrypts,
        { path: "/encrypt", request: encryptsCard() },
        { path: "/html", response: encryptsCard() },
        { path: "/archived", request: encryptsCard(archived) },
      ],
    }),
    closedDomain: await createRelay({
      destinationDomain: destinationDomain.replace("127.0.0.1", "localhost"),
      authentication: "api-key",
      routes: [decrypts],
    }),
    deadDomain: await createRelay({ destinationDomain: "http://127.0.0.1:1" }),
    relayIds,
    token: await seal(),
    lockedToken: await seal({ "x-service-data-role": locked }),
    exhaustedKey,
    scopelessKey: (await service.newKey(app, [])).key,
    appId: app.id,
    key: auth.key,
    foreign: service.production.auth,
    proxyAuthorization: basic(auth),
  }
  expect((await service.patch(`/data-roles/${archived}`, { archived: true })).status).toBe(200)
  return world
}
