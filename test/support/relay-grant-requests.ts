import { createId } from "@sealway/kernel"
import type { Grant } from "@sealway/ports"
import { type Activity, EDGE_ATTACH_GRANTS, EDGE_DETACH_GRANTS, EDGE_STATUS_GRANTS } from "@sealway/relay"
import { putActivityBlock } from "@sealway/relay/testing"
import * as z from "zod"
import type { DnsServer } from "./dns-server.ts"
import type { GrantRequests, Prerequisites } from "./grant-request.ts"
import { createSelfSigned } from "./self-signed.ts"

const ALERT = { type: "webhook", url: "https://example.com/" }

/** @param dns the name server that the service asks about custom domains */
export function createRelayRequests(dns: DnsServer): GrantRequests {
  const clientCertificate = { format: "pem", ...createSelfSigned("DNS:client.example.com") }

  const prepareRelay = async (given: Prerequisites) => {
    await given.prepare("create-data-role", { body: { slug: "pci", name: "Cards" } })
    const { id = "" } = await given.prepare("create-relay", { body: RELAY })
    return { relay_id: id }
  }
  /** Creates a verified one. */
  const prepareCustomDomain = async (given: Prerequisites) => {
    const path = await prepareRelay(given)
    const domain = `pay-${dns.zone.size}.example.com`
    const created = await given.prepare("create-relay-custom-domain", { path, body: { domain } })
    const { id, records } = customDomainSchema.parse(created)
    for (const { type, name, value } of records) {
      dns.zone.set(name, type === "CNAME" ? { CNAME: value } : { TXT: [value] })
    }
    const verified = { ...path, custom_domain_id: id }
    await given.prepare("verify-relay-custom-domain", { path: verified, body: {} })
    return verified
  }
  const prepareAlert = async (given: Prerequisites) => {
    const path = await prepareRelay(given)
    const { id = "" } = await given.prepare("create-relay-alert", { path, body: ALERT })
    return { ...path, alert_id: id }
  }

  return {
    "create-relay": async (given) => {
      await given.prepare("create-data-role", { body: { slug: "pci", name: "Cards" } })
      return { body: { ...RELAY, clientCertificate } }
    },
    "list-relays": async (given) => {
      await prepareRelay(given)
      return {}
    },
    "get-relay": async (given) => ({ path: await prepareRelay(given) }),
    "update-relay": async (given) => ({
      path: await prepareRelay(given),
      body: { clientCertificate, routes: [] },
    }),
    "delete-relay": async (given) => {
      const path = await prepareCustomDomain(given)
      await given.prepare("create-relay-alert", { path, body: ALERT })
      return { path }
    },
    "create-relay-custom-domain": async (given) => ({
      path: await prepareRelay(given),
      body: { domain: "pay.example.com" },
    }),
    "list-relay-custom-domains": async (given) => ({ path: await prepareRelay(given) }),
    "get-relay-custom-domain": async (given) => ({ path: await prepareCustomDomain(given) }),
    "verify-relay-custom-domain": async (given) => ({ path: await prepareCustomDomain(given), body: {} }),
    "delete-relay-custom-domain": async (given) => ({ path: await prepareCustomDomain(given) }),
    "create-relay-alert": async (given) => ({ path: await prepareRelay(given), body: ALERT }),
    "list-relay-alerts": async (given) => ({ path: await prepareAlert(given) }),
    "get-relay-alert": async (given) => ({ path: await prepareAlert(given) }),
    "update-relay-alert": async (given) => ({ path: await prepareAlert(given), body: { type: "chat" } }),
    "delete-relay-alert": async (given) => ({ path: await prepareAlert(given) }),
    "test-relay-alert": async (given) => ({ path: await prepareAlert(given), body: {} }),
    "list-relay-activity": async (given) => ({ path: await prepareRelay(given) }),
    "get-relay-activity": async (given) => {
      const path = await prepareRelay(given)
      return { path: { ...path, activity_id: await recordActivity(given, path.relay_id) } }
    },
    "test-relay": async (given) => ({
      path: await prepareRelay(given),
      body: { request: { headers: { "content-type": "application/json" }, body: '{"card": "1"}' } },
    }),
    "get-relay-outbound": () => ({}),
  }
}

const RELAY = {
  destinationDomain: "api.example.com",
  routes: [
    {
      path: "/**",
      request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.card", role: "pci" }] }],
    },
  ],
}

/** Records a request through a relay, as the relay would. @returns the id of the activity */
async function recordActivity({ platform, app }: Prerequisites, relayId: string): Promise<string> {
  const nowMs = platform.wallClock()
  const id = createId("relay_activity", nowMs)
  const selection = { direction: "request", action: "encrypt", type: "json", selector: "$.card" } as const
  const activity: Activity = {
    id,
    mode: "reverse",
    method: "POST",
    routes: ["/**"],
    status: 200,
    error: null,
    selections: [{ ...selection, matched: 1, changed: 1 }],
    leaks: [],
    tolerated: [],
    timing: { totalMs: 48.2, destinationMs: 46.1, engineMs: 0.4 },
    createdAt: nowMs,
  }
  await putActivityBlock(platform.eventsTable, { appId: app.id, relayId, entries: [activity], dropped: 0 })
  return id
}

const customDomainSchema = z.object({
  id: z.string(),
  records: z.array(z.object({ type: z.string(), name: z.string(), value: z.string() })),
})

/** What endpoints of relays do rarely, and not in these requests. No process on one machine calls CloudFront. */
export const SELDOM_OF_RELAYS: Readonly<Record<string, readonly Grant[]>> = {
  // When something fails half-way, it undoes what was begun.
  "create-relay": ["dynamodb:DeleteItem/config", ...EDGE_ATTACH_GRANTS],
  // When the edge has news of a domain.
  "get-relay": ["dynamodb:PutItem/config", ...EDGE_STATUS_GRANTS],
  "update-relay": EDGE_ATTACH_GRANTS,
  "delete-relay": EDGE_DETACH_GRANTS,
  "get-relay-custom-domain": ["dynamodb:PutItem/config", ...EDGE_STATUS_GRANTS],
  "verify-relay-custom-domain": [
    "dynamodb:DeleteItem/config",
    ...new Set([...EDGE_ATTACH_GRANTS, ...EDGE_DETACH_GRANTS]),
  ],
  "delete-relay-custom-domain": EDGE_DETACH_GRANTS,
  // When requests race, the one too many is deleted again.
  "create-relay-alert": ["dynamodb:DeleteItem/config"],
  "create-relay-custom-domain": ["dynamodb:DeleteItem/config"],
}
