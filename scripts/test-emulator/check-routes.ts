import assert from "node:assert/strict"
import { serviceEndpoints } from "@sealway/api"
import { routesOf } from "@sealway/http"
import type { DeployedService } from "./service.ts"

/** Takes the place of a parameter in a path. */
const ANY_ID = "unknown"
/** Calls at the same time: each starts a function. */
const AT_ONCE = 4

/**
 * Calls every route of the API once, without credentials: its function starts, and refuses a stranger where the endpoint
 * knows its callers.
 *
 * @returns how many routes there are
 */
export async function checkRoutes({ url }: DeployedService): Promise<number> {
  const routes = serviceEndpoints.flatMap((endpoint) =>
    routesOf(endpoint).map((route) => ({ ...route, isOpen: endpoint.auth.length === 0 })),
  )
  const unexpected: string[] = []
  const waiting = routes.values()
  const callWaiting = async () => {
    for (const { method, path, isOpen } of waiting) {
      const answer = await fetch(url + path.replaceAll(/\{\w+\}/g, ANY_ID), {
        method,
        redirect: "manual",
        headers: { "content-type": path.endsWith("/rows") ? "application/x-ndjson" : "application/json" },
      })
      const isAnswered = isOpen ? answer.status < 500 : answer.status === 401
      if (!isAnswered) unexpected.push(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, callWaiting))
  const other = await fetch(`${url}/stats`, { method: "DELETE" })
  assert.deepEqual([other.status, other.headers.get("allow")], [405, "GET, HEAD"])
  assert.deepEqual(unexpected, [])
  return routes.length
}
