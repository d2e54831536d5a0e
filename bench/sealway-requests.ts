import * as z from "zod"
import type { LoadTarget } from "./http-load.ts"

/** What `sealway-server.ts` prints about itself: where it is, and an app with its key. */
export const serverSchema = z.object({
  url: z.string(),
  relayUrl: z.string(),
  echoUrl: z.string(),
  id: z.string(),
  apiKey: z.string(),
})
export type Server = z.infer<typeof serverSchema>
/** An API, and an app with its key. */
type Called = Pick<Server, "url" | "id" | "apiKey">

const CONDITIONS = {
  sources: ["api"],
  ipRanges: ["127.0.0.0/8", "10.0.0.0/8"],
  time: { daily: { from: "00:00", to: "23:59", timezone: "Europe/Berlin" } },
}
/** Conditions with an API key that does not exist. */
const UNMET = { ...CONDITIONS, apiKeys: ["key_00000000000000000000000000"] }

/** A policy that permits, and whose budget is not used up. */
export const BUDGET_POLICY = { conditions: { ...CONDITIONS, budget: { values: 10_000_000, per: "minute" } } }

/** Returns policies of which only the last one's conditions hold. */
export function policiesOf(count: number): readonly { readonly conditions: object }[] {
  return Array.from({ length: count }, (_, index) => ({
    conditions: index === count - 1 ? CONDITIONS : UNMET,
  }))
}

export async function createRole(server: Called, slug: string, policies: readonly object[]): Promise<void> {
  await post(server, "/data-roles", JSON.stringify({ slug, name: slug }))
  for (const [index, policy] of policies.entries()) {
    const name = `${slug} ${index}`
    await post(server, "/data-policies", JSON.stringify({ name, effect: "permit", roles: [slug], ...policy }))
  }
}

/** Requests that encrypt a document. */
export function encryptTarget(server: Called, document: string): LoadTarget {
  return { url: `${server.url}/encrypt`, headers: headersOf(server), body: document }
}

/** Requests that decrypt a document, whose values have a role, or none. */
export async function decryptTarget(
  server: Called,
  document: string,
  role: string | null = null,
): Promise<LoadTarget> {
  const body = await post(server, "/encrypt", document, role === null ? {} : { "x-service-data-role": role })
  return { url: `${server.url}/decrypt`, headers: headersOf(server), body }
}

/** Posts JSON, and returns the answer. */
export async function post(
  server: Called,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = { method: "POST", headers: { ...headersOf(server), ...headers }, body }
  const response = await fetch(server.url + path, options)
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${text}`)
  return text
}

export function headersOf({ id, apiKey }: Pick<Server, "id" | "apiKey">): Readonly<Record<string, string>> {
  return {
    "content-type": "application/json",
    authorization: `Basic ${Buffer.from(`${id}:${apiKey}`).toString("base64")}`,
  }
}
