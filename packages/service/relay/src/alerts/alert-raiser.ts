import { createHash } from "node:crypto"
import { createBoundedMap, createId } from "@sealway/kernel"
import type { Log, Table } from "@sealway/ports"
import type { Events } from "@sealway/records"
import type { Activity } from "../activity/activity.ts"
import type { Relay } from "../relays/relay.ts"
import { activityLink } from "./activity-link.ts"
import { alertBody, alertFields } from "./alert-message.ts"
import { type Incident, incidentsOf } from "./incident.ts"
import { alertRecordKey, listRelayAlerts } from "./relay-alert-table.ts"

/** Raises alerts about requests: one per relay, error code and minute, across all processes. */
export interface AlertRaiser {
  /** @returns whether an alert is raised that links to this activity. Others of its kind in the minute raise none */
  raise(relay: Relay, activity: Activity): boolean
  /** Resolves when everything raised is on its way. */
  settle(): Promise<void>
}

export interface AlertRaiserDependencies {
  readonly configTable: Pick<Table, "list">
  readonly events: Pick<Events, "publish">
  readonly log: Pick<Log, "warn">
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  /** Where links in alerts lead; null for none. */
  readonly dashboardUrl: string | null
}

const MINUTE_MS = 60_000
/** How soon a relay without alerts is checked again for new ones. */
const LOOK_AGAIN_MS = 10_000
/** How many relays and codes are remembered. A forgotten one is published again, as the same event. */
const MAX_REMEMBERED = 10_000
const MAX_AT_ONCE = 20
/** Of the random part of an id. */
const DIGEST_CHARACTERS = 16

export function createAlertRaiser({
  configTable,
  events,
  log,
  wallClock,
  dashboardUrl,
}: AlertRaiserDependencies): AlertRaiser {
  /** Until when a relay and code raises no further alert, in epoch milliseconds. */
  const silentUntil = createBoundedMap<number>(MAX_REMEMBERED)
  const underWay = new Set<Promise<void>>()

  async function publish(
    relay: Relay,
    activity: Activity,
    incident: Incident,
    minute: number,
  ): Promise<number> {
    const fields = alertFields(relay, {
      errorMessage: incident.message,
      evMessage: incident.place,
      activityLink: activityLink(dashboardUrl, relay, activity.id),
      timestamp: wallClock(),
      errorType: incident.type,
      statusCode: activity.status,
    })
    const alerts = await listRelayAlerts(configTable, relay.appId, relay.id)
    await events.publish({
      id: eventId(relay.id, incident.type, minute),
      teamId: relay.teamId,
      appId: relay.appId,
      type: "relay.error",
      data: fields,
      recipients: alerts.map((alert) => ({
        id: alert.id,
        recordKey: alertRecordKey(alert),
        body: alertBody(alert.type, fields),
      })),
    })
    return alerts.length
  }

  function start(relay: Relay, activity: Activity, incident: Incident): boolean {
    const key = `${relay.id}/${incident.type}`
    const nowMs = wallClock()
    if ((silentUntil.get(key) ?? 0) > nowMs || underWay.size >= MAX_AT_ONCE) return false
    const minute = Math.floor(nowMs / MINUTE_MS)
    const nextMinuteMs = (minute + 1) * MINUTE_MS
    silentUntil.set(key, nextMinuteMs)
    const published = publish(relay, activity, incident, minute)
      .then((told) => {
        if (told === 0) silentUntil.set(key, Math.min(nextMinuteMs, nowMs + LOOK_AGAIN_MS))
      })
      .catch((error: unknown) => {
        // The next error of this kind raises it.
        silentUntil.delete(key)
        log.warn("could not raise a relay alert", { error })
      })
      .finally(() => underWay.delete(published))
    underWay.add(published)
    return true
  }

  return {
    raise: (relay, activity) =>
      incidentsOf(relay, activity)
        .map((incident) => start(relay, activity, incident))
        .includes(true),
    async settle() {
      await Promise.all(underWay)
    },
  }
}

/** The same in all processes: an event whose id was published before is not published again. */
function eventId(relayId: string, type: string, minute: number): string {
  const digest = createHash("sha256").update(`${relayId}\0${type}\0${minute}`).digest("hex")
  return (
    createId("webhook_event", minute * MINUTE_MS).slice(0, -DIGEST_CHARACTERS) +
    digest.slice(0, DIGEST_CHARACTERS)
  )
}
