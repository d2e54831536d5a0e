import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Script } from "node:vm"
import { type CloudFrontClient, paginateListDistributions } from "@aws-sdk/client-cloudfront"
import { DASHBOARD_SECRET_HEADER } from "@sealway/http"
import * as z from "zod"
import { PROJECT_ROOT } from "../../stacks/bundles/project-root.ts"
import { type DeployedService, until } from "./service.ts"

const VIEWER_IP = "203.0.113.9"
const ROLE = "office"
/** Functions read roles again after 10 seconds. */
const ROLE_MS = 20_000

const requestSchema = z.object({
  uri: z.string(),
  headers: z.record(z.string(), z.object({ value: z.string() })),
})

/** Returns what the dashboard's distribution sends to the API: of the functions, none knows it. */
async function originSecretOf(cloudfront: CloudFrontClient): Promise<string> {
  for await (const { DistributionList } of paginateListDistributions({ client: cloudfront }, {})) {
    const origins = DistributionList?.Items?.flatMap(({ Origins }) => Origins?.Items ?? []) ?? []
    const headers = origins.flatMap(({ CustomHeaders }) => CustomHeaders?.Items ?? [])
    const sent = headers.find(({ HeaderName }) => HeaderName === DASHBOARD_SECRET_HEADER)
    if (sent?.HeaderValue !== undefined) return sent.HeaderValue
  }
  throw new Error("No distribution sends an origin secret")
}

/**
 * Calls the API as the dashboard's distribution does: with what its function makes of a viewer's request, and its secret.
 * A policy permits only the viewer's address, which the API believes nobody else.
 */
export async function checkEdge({ call }: DeployedService, cloudfront: CloudFrontClient): Promise<void> {
  const originSecret = await originSecretOf(cloudfront)
  const created = [
    await call("POST", "/data-roles", { slug: ROLE, name: ROLE }),
    await call("POST", "/data-policies", {
      name: ROLE,
      effect: "permit",
      roles: [ROLE],
      conditions: { ipRanges: [`${VIEWER_IP}/32`] },
    }),
  ]
  for (const { status, body } of created) assert.equal(status, 201, JSON.stringify(body))
  const { body: sealed } = await until(
    "The encryption for a new data role",
    ROLE_MS,
    () => call("POST", "/encrypt", "secret", { "x-service-data-role": ROLE }),
    ({ status }) => status === 200,
  )

  const code = await readFile(join(PROJECT_ROOT, "stacks", "dashboard-edge", "api-request.js"), "utf8")
  const request = { uri: "/api/decrypt", headers: {} }
  const context = { event: { request, viewer: { ip: VIEWER_IP } } }
  const { uri, headers } = requestSchema.parse(new Script(`${code}\nhandler(event)`).runInNewContext(context))
  const passedOn = Object.fromEntries(Object.entries(headers).map(([name, { value }]) => [name, value]))
  const statusWith = async (secret: string) =>
    (await call("POST", uri, sealed, { ...passedOn, [DASHBOARD_SECRET_HEADER]: secret })).status
  // The function that decrypts may have read roles and policies before these existed.
  await until(
    "The decryption for a viewer",
    ROLE_MS,
    () => statusWith(originSecret),
    (status) => status === 200,
  )
  assert.equal(await statusWith("x".repeat(originSecret.length)), 403)
}
