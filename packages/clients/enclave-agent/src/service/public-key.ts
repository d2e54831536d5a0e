import { createSealingKeySource, isRoleSlug, type SealingKeySource } from "@sealway/tokens"
import * as z from "zod"
import type { AppOptions, CallDependencies } from "./agent-options.ts"
import { AgentProblem, agentProblem } from "./agent-problem.ts"
import { callService } from "./call-service.ts"

/** As long as the API lets clients keep the key. */
const MAX_AGE_MS = 5 * 60_000
/** How long an older key still serves while the API cannot be asked: it opens what any of its keys has sealed. */
const MAX_OUTAGE_MS = 60 * 60_000
/** How long nobody asks again then. */
const PAUSE_MS = 10_000

const keysSchema = z.object({ appUuid: z.string(), ecdhP256Key: z.string() })

export interface PublicKeyDependencies extends CallDependencies {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}

/** Keeps the app's public key. A call to it asks the API at most every five minutes. */
export function createPublicKey(
  { serviceUrl, teamId, appId }: AppOptions,
  { fetch, now }: PublicKeyDependencies,
): () => Promise<SealingKeySource> {
  const url = `${serviceUrl}/${teamId}/apps/${appId}`
  let known: { readonly source: SealingKeySource; readonly encoded: string; readonly atMs: number } | null =
    null
  let asking: Promise<SealingKeySource> | null = null
  let pausedUntilMs = 0

  async function ask(): Promise<SealingKeySource> {
    const { json, headers } = await callService({ fetch }, url, { method: "GET" })
    const keys = keysSchema.safeParse(json)
    if (!keys.success || keys.data.appUuid !== appId) {
      throw agentProblem("service-unavailable", "The service does not answer with the app's public key.")
    }
    const debug = headers.get("x-service-debug-mode") === "true"
    const encoded = `${keys.data.ecdhP256Key} ${debug}`
    const appPublicKey = Buffer.from(keys.data.ecdhP256Key, "base64")
    const source =
      known?.encoded === encoded ? known.source : createSealingKeySource({ appPublicKey, debug, now })
    known = { source, encoded, atMs: now() }
    return source
  }

  return async () => {
    const ageMs = known === null ? Number.POSITIVE_INFINITY : now() - known.atMs
    if (known !== null && (ageMs < MAX_AGE_MS || now() < pausedUntilMs)) return known.source
    asking ??= ask().finally(() => {
      asking = null
    })
    try {
      return await asking
    } catch (error) {
      const isOutage = error instanceof AgentProblem && error.body.status >= 500
      if (!isOutage || known === null || ageMs > MAX_OUTAGE_MS) throw error
      pausedUntilMs = now() + PAUSE_MS
      return known.source
    }
  }
}

/** @throws AgentProblem when it is not a slug */
export function requireRole(role: string | undefined): string | null {
  if (role === undefined) return null
  if (!isRoleSlug(role))
    throw agentProblem("invalid-request", "X-Service-Data-Role must be the slug of a data role.")
  return role
}
