import type { CedarValueJson, Context, Entities, EntityUidJson } from "@cedar-policy/cedar-wasm/nodejs"
import type { DecisionContext } from "../rules/decision.ts"
import { normalizeHost } from "../rules/host.ts"
import { normalizeIp } from "../rules/ip-address.ts"
import { localTime } from "../rules/local-time.ts"
import type { TimeUse } from "./time-use.ts"

/** A decision to make. */
export interface Question {
  readonly appId: string
  /** Slug of the role. */
  readonly role: string
  readonly context: DecisionContext
  /** Epoch milliseconds. */
  readonly timeMs: number
  /** To see the values in full, or a mask of them. Default: in full. */
  readonly action?: "Decrypt" | "Mask"
}

export interface AuthorizationRequest {
  readonly principal: EntityUidJson
  readonly action: EntityUidJson
  readonly resource: EntityUidJson
  readonly context: Context
  readonly entities: Entities
}

const CLOCK = { type: "Clock", id: "now" }

/**
 * Builds the request for Cedar, by the published schema. Unknown fields are absent, so that nothing matches them; parts
 * of the time that no policy reads are left out, so that equal requests get cached answers as long as possible.
 */
export function authorizationRequest(
  { appId, role, context, timeMs, action = "Decrypt" }: Question,
  { instant, clock, timeZones }: TimeUse,
): AuthorizationRequest {
  const { source, apiKeyId, functionName, relayDestination, enclavePcrs } = context
  const ip = context.ip === null ? null : normalizeIp(context.ip)
  return {
    principal: { type: "App", id: appId },
    action: { type: "Action", id: action },
    resource: { type: "DataRole", id: role },
    context: {
      source,
      ...(instant && { time: { __extn: { fn: "datetime", arg: new Date(timeMs).toISOString() } } }),
      ...(clock && { clock: { __entity: CLOCK } }),
      ...(ip !== null && { ip: { __extn: { fn: "ip", arg: ip } } }),
      ...(apiKeyId !== null && { apiKey: { __entity: { type: "ApiKey", id: apiKeyId } } }),
      ...(functionName !== undefined && { function: functionName }),
      ...(relayDestination !== undefined && { relayDestination: normalizeHost(relayDestination) }),
      ...(enclavePcrs !== undefined && { enclave: lowerCase(enclavePcrs) }),
    },
    entities: clock ? [{ uid: CLOCK, attrs: {}, parents: [], tags: readClock(timeZones, timeMs) }] : [],
  }
}

function readClock(timeZones: readonly string[], timeMs: number): Record<string, CedarValueJson> {
  const readings = timeZones.flatMap((zone) => {
    const reading = localTime(timeMs, zone)
    return reading === null ? [] : [[zone, { ...reading }] as const]
  })
  return Object.fromEntries(readings)
}

function lowerCase(pcrs: NonNullable<DecisionContext["enclavePcrs"]>): Record<string, string> {
  const given = Object.entries(pcrs).flatMap(([name, pcr]) =>
    pcr === undefined ? [] : [[name, pcr.toLowerCase()] as const],
  )
  return Object.fromEntries(given)
}
