// What the shop needs in Sealway, made once by whoever runs it: the server of the shop gets none of the keys used here.
import { setTimeout as pause } from "node:timers/promises"
import { createApi, SealwayError } from "./sealway.mjs"

const DAY_MS = 24 * 60 * 60_000
const ROLE = "checkout-card"
const NAME = "Example checkout"

/**
 * @param {{url: string, relayUrl: string, appId: string, apiKey: string, teamKey: string}} sealway
 * @param {{shop: string, processor: string}} origins
 */
export async function setUp(sealway, { shop, processor }) {
  const { url, relayUrl, appId, apiKey, teamKey } = sealway
  const team = createApi(url, teamKey)
  const app = createApi(url, apiKey)

  // Card fields and the bank's page may be framed by the shop's pages and by no others.
  const { allowedOrigins } = await team.get(`/apps/${appId}`)
  await team.patch(`/apps/${appId}`, { allowedOrigins: [...new Set([...allowedOrigins, shop])] })

  // Two keys, for a day and until the next start. Neither can decrypt a card: one has no such right, the other meets the
  // policy below.
  const keys = `/apps/${appId}/api-keys`
  const isEarlier = ({ name, revokedAt }) => name.startsWith(`${NAME}: `) && revokedAt === null
  for (const { id } of (await list(team, keys)).filter(isEarlier)) await team.delete(`${keys}/${id}`)
  const issue = (name, scopes) => team.post(keys, { name, scopes, expiresAt: Date.now() + DAY_MS })
  const paymentsKey = await issue(`${NAME}: payments`, [
    "networkToken:create",
    "networkToken:createCryptogram",
    "threeDSSession:create",
    "threeDSSession:read",
  ])
  const relayKey = await issue(`${NAME}: relay`, ["api:decrypt"])

  // Cards are sealed with a role. Its only policy lets Sealway itself open them, for what the first key asks for.
  await app.post("/data-roles", { slug: ROLE, name: "Cards of the example checkout" }).catch(unlessItIsThere)
  const policy = {
    ...{ name: NAME, effect: "permit", roles: [ROLE] },
    conditions: { sources: ["api"], apiKeys: [paymentsKey.id] },
  }
  const earlier = (await list(app, "/data-policies")).find(({ name }) => name === NAME)
  if (earlier === undefined) await app.post("/data-policies", policy)
  else await app.patch(`/data-policies/${earlier.id}`, policy)

  const merchant =
    (await app.get(`/payments/merchants?q=${encodeURIComponent(MERCHANT.name)}`)).data[0] ??
    (await app.post("/payments/merchants", MERCHANT))
  const relay =
    (await list(app, "/relays")).find(({ destinationDomain }) => destinationDomain === processor) ??
    (await app.post("/relays", relayTo(processor)))
  const { teamUuid: teamId } = await app.get("/keys")
  await untilFramed(url, appId, shop)
  return {
    merchantId: merchant.id,
    paymentsKey: paymentsKey.key,
    relay: { url: relayUrl, domain: relay.relayDomain, appId, key: relayKey.key },
    browser: { teamId, appId, role: ROLE },
  }
}

/** A change of an app counts within ten seconds. Until then browsers would show nothing in the frame. */
async function untilFramed(url, appId, shop) {
  for (let tries = 0; tries < 60; tries++) {
    const page = await fetch(`${url}/frontend/3ds/fingerprints/${appId}/none`, {
      method: "POST",
      body: new URLSearchParams(),
    })
    if (page.headers.get("content-security-policy")?.includes(shop)) return
    await pause(250)
  }
  throw new Error("Sealway's pages cannot be framed by the shop")
}

const MERCHANT = {
  name: "Paper and Ink",
  website: "https://shop.example.com",
  categoryCode: "5943",
  business: {
    legalName: "Paper and Ink Limited",
    address: { line1: "1 High Street", city: "Dublin", postalCode: "D01", country: "ie" },
  },
}

/** Opens the number of a charge on its way, and nothing else; only who has a key may use it. */
const relayTo = (destinationDomain) => ({
  destinationDomain,
  authentication: "api-key",
  routes: [
    {
      ...{ method: "POST", path: "/charges" },
      request: [{ action: "decrypt", selections: [{ type: "json", selector: "$.card.number" }] }],
    },
  ],
})

/** The newest hundred records: an example has few. */
async function list(api, path) {
  return (await api.get(`${path}?limit=100`)).data
}

function unlessItIsThere(error) {
  if (!(error instanceof SealwayError && error.code === "conflict")) throw error
}
