import { createIdempotency, type Platform } from "@sealway/http"
import { createDataRoles, type DataRoles } from "@sealway/policies"
import type { Configuration } from "@sealway/ports"
import { createRelayDirectory, type RelayDirectory } from "@sealway/relay"
import * as z from "zod"

/** A change by management that other processes may have cached. */
export const changeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("keys"), appId: z.string() }),
  z.object({ kind: z.literal("subject"), appId: z.string(), subjectId: z.string() }),
  z.object({ kind: z.literal("policies"), appId: z.string() }),
  z.object({ kind: z.literal("webhooks"), appId: z.string() }),
  z.object({
    kind: z.literal("relay"),
    appId: z.string(),
    destination: z.object({ scheme: z.enum(["http", "https"]), host: z.string(), port: z.int() }),
    domains: z.array(z.string()),
  }),
])

export type Change = z.infer<typeof changeSchema>

/** The caches of what management changes. */
export interface Memory {
  readonly keyring: Pick<Platform["keyring"], "forget" | "subjects">
  readonly events: Pick<Platform["events"], "forget">
  readonly dataRoles: Pick<DataRoles, "forget">
  readonly relays: Pick<RelayDirectory, "forget">
}

/** Drops what has changed from the caches. */
export function forgetChanged(change: Change, { keyring, events, dataRoles, relays }: Memory): void {
  switch (change.kind) {
    case "keys":
      keyring.forget(change.appId)
      break
    case "subject":
      keyring.subjects.forget(change.appId, change.subjectId)
      break
    case "policies":
      dataRoles.forget(change.appId)
      break
    case "webhooks":
      events.forget(change.appId)
      break
    case "relay":
      relays.forget(change, change.domains)
      break
  }
}

export interface ToldService {
  readonly platform: Platform
  readonly dataRoles: DataRoles
  readonly relays: RelayDirectory
}

/**
 * Builds the platform of management so that others are told of each of its changes, after it is in the tables.
 *
 * @throws Error when the configuration does not say where relays are served
 */
export function tellChanges(
  platform: Platform,
  lockHolder: Configuration["lockHolder"],
  tell: (change: Change) => void,
): ToldService {
  if (platform.relay === null) throw new Error("The configuration has no relay domain")
  const { events, keyring } = platform
  const { subjects } = keyring
  const effects: Platform = {
    ...platform,
    events: {
      ...events,
      forget(appId) {
        events.forget(appId)
        tell({ kind: "webhooks", appId })
      },
    },
    keyring: {
      ...keyring,
      async addVersion(app, records) {
        const version = await keyring.addVersion(app, records)
        tell({ kind: "keys", appId: app.id })
        return version
      },
      async ensureCustody(app, records) {
        await keyring.ensureCustody(app, records)
        tell({ kind: "keys", appId: app.id })
      },
      subjects: {
        ...subjects,
        forget(appId, subjectId) {
          subjects.forget(appId, subjectId)
          tell({ kind: "subject", appId, subjectId })
        },
      },
    },
  }
  // Requests with an idempotency key get their dependencies from here, so others are told of their changes too.
  const idempotency = createIdempotency(platform.eventsTable, platform.wallClock, effects, lockHolder)
  const told: Platform = { ...effects, idempotency }
  const dataRoles = createDataRoles(told)
  const relays = createRelayDirectory({ ...told, relayDomain: platform.relay.domain })
  return {
    platform: told,
    dataRoles: {
      ...dataRoles,
      forget(appId) {
        dataRoles.forget(appId)
        tell({ kind: "policies", appId })
      },
    },
    relays: {
      ...relays,
      forget(relay, domains) {
        relays.forget(relay, domains)
        tell({ kind: "relay", appId: relay.appId, destination: relay.destination, domains: [...domains] })
      },
    },
  }
}
