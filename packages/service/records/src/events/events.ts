import { type App, CONFIGURATION_TTL_MS } from "@sealway/accounts"
import { type Clocks, createCache, createId } from "@sealway/kernel"
import { type Keyring, openForApp, sealedShape, sealForApp } from "@sealway/keys"
import { appPartition, type QueueSender, shardOf, type Table } from "@sealway/ports"
import * as z from "zod"
import type { NamedEvent } from "./event-types.ts"

/** The types of events that a webhook endpoint can receive. */
export type EventType = NamedEvent | "relay.alert.test" | `payments.${string}`

/** A recipient of an event besides webhook endpoints, with its own body. */
export interface EventRecipient {
  /** Distinguishes it from the event's other recipients, and from webhook endpoints. */
  readonly id: string
  /**
   * The sort key of the record in the app's configuration whose `url` is the destination. Once it is removed,
   * deliveries stop.
   */
  readonly recordKey: string
  /** The body to send instead of `{id, type, data}`. */
  readonly body: object
}

export interface NewEvent {
  readonly teamId: string
  readonly appId: string
  readonly type: EventType
  /** The data for receivers. Never plaintext, keys or tokens, unless it is sealed: see `sealEventData`. */
  readonly data: object | SealedEventData
  /** Data that receivers get instead until a time, because it must not be kept longer. Default: none. */
  readonly brief?: BriefEventData
  /** Default: a new one. An event whose id was published before is not published again. */
  readonly id?: string
  /** Where to deliver it besides the app's webhook endpoints, regardless of their subscriptions. Default: nowhere. */
  readonly callbackUrl?: string | null
  /** Further recipients. Signed with the app's callback secret. Default: none. */
  readonly recipients?: readonly EventRecipient[]
  /** Whether to deliver it to the app's webhook endpoints that subscribe to its type. Default: true. */
  readonly toEndpoints?: boolean
}

/** Data for receivers, sealed with the app's keys until it is sent. */
export class SealedEventData {
  readonly keyVersion: number
  readonly sealed: Uint8Array

  constructor(keyVersion: number, sealed: Uint8Array) {
    this.keyVersion = keyVersion
    this.sealed = sealed
  }
}

/** Data that receivers get until a time. It is stored apart from its event, so that the table itself removes it. */
export interface BriefEventData {
  readonly data: SealedEventData
  /** Epoch milliseconds. */
  readonly untilMs: number
}

const placeOfData = (app: App, eventId: string) => ({ app, purpose: "event-data", place: eventId }) as const

/** Seals the data of an event that not everyone who can read the events table may see. @param data JSON */
export async function sealEventData(
  keyring: Pick<Keyring, "newest">,
  app: App,
  eventId: string,
  data: string,
): Promise<SealedEventData> {
  const { keyVersion, sealed } = await sealForApp(keyring, placeOfData(app, eventId), Buffer.from(data))
  return new SealedEventData(keyVersion, sealed)
}

/** Opens sealed event data. @throws Error when it was not sealed for this event with this app's keys */
export async function openEventData(
  keyring: Pick<Keyring, "open">,
  app: App,
  eventId: string,
  data: Pick<SealedEventData, "keyVersion" | "sealed">,
): Promise<string> {
  const opened = await openForApp(keyring, placeOfData(app, eventId), data)
  if (opened === null) throw new Error("The data of an event does not open")
  return opened.toString()
}

export interface Events {
  /**
   * Queues an event for delivery to the app's webhook endpoints, listeners and its own recipients. Once this resolves,
   * the event is kept until it is delivered or all its deliveries have failed. Nothing is kept when there is no
   * recipient.
   */
  publish(event: NewEvent): Promise<void>
  /** Drops the cached subscriptions of an app, so that they are read again when next needed. */
  forget(appId: string): void
}

/** How long events and their deliveries are listed. */
const KEPT_SECONDS = 30 * 24 * 60 * 60
/** How long an event is kept that only listeners subscribe to. */
export const LISTENED_SECONDS = 60 * 60
const MAX_APPS = 10_000
const PENDING_SHARDS = 16

/** Webhook endpoints (`webhook-endpoint#…`) and listeners (`webhook-listener#…`) are read by one query. */
const SUBSCRIPTION_PREFIX = "webhook-"
const subscriptionSchema = z.object({
  events: z.array(z.string()),
  /** For a listener: epoch milliseconds until which it receives events. Absent from an endpoint. */
  listensUntil: z.number().nullable().default(null),
})
type Subscription = z.infer<typeof subscriptionSchema>

/** Where an event is kept. */
export const eventKey = (appId: string, eventId: string) => ({
  pk: appPartition(appId),
  sk: `webhook-event#${eventId}`,
})

const briefKey = (appId: string, eventId: string) => ({
  pk: appPartition(appId),
  sk: `webhook-event-brief#${eventId}`,
})
const briefSchema = z.object(sealedShape)

/** Finds what receivers of an event get for a while; null when there is nothing, or the time is over. */
export async function findBriefEventData(
  eventsTable: Pick<Table, "get">,
  appId: string,
  eventId: string,
): Promise<Pick<SealedEventData, "keyVersion" | "sealed"> | null> {
  const item = await eventsTable.get(briefKey(appId, eventId))
  return item && briefSchema.parse(item)
}

/** The partitions that list the events which are not delivered yet. */
export const PENDING_PARTITIONS: readonly string[] = Array.from(
  { length: PENDING_SHARDS },
  (_, shard) => `webhook-pending#${shard}`,
)

/** The key under which an event is listed until it is delivered, so that it can be found after a crash. */
export const pendingKey = (eventId: string) => ({
  pk: `webhook-pending#${shardOf(eventId, PENDING_SHARDS)}`,
  sk: eventId,
})

/** True when a subscription matches a type: by `*`, by name, or by `<prefix>.*`. */
export function takesEvent(patterns: readonly string[], type: string): boolean {
  return patterns.some(
    (pattern) =>
      pattern === "*" ||
      pattern === type ||
      (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1))),
  )
}

export interface EventsDependencies extends Clocks {
  readonly configTable: Table
  readonly eventsTable: Table
  readonly queues: QueueSender
}

export function createEvents({
  configTable,
  eventsTable,
  queues,
  now,
  wallClock,
}: EventsDependencies): Events {
  const cache = createCache<readonly Subscription[]>({
    maxEntries: MAX_APPS,
    ttlMs: CONFIGURATION_TTL_MS,
    now,
  })

  /** Returns how long an event is kept for the subscribers of its type; 0 when there are none. */
  async function keptSecondsFor(appId: string, type: string): Promise<number> {
    const subscriptions = await cache.get(appId, async () => {
      const items = await configTable.list(appPartition(appId), SUBSCRIPTION_PREFIX)
      return items.map((item) => subscriptionSchema.parse(item))
    })
    const nowMs = wallClock()
    const takers = (subscriptions ?? []).filter(
      ({ events, listensUntil }) =>
        (listensUntil === null || listensUntil > nowMs) && takesEvent(events, type),
    )
    if (takers.length === 0) return 0
    return takers.some(({ listensUntil }) => listensUntil === null) ? KEPT_SECONDS : LISTENED_SECONDS
  }

  return {
    async publish({
      teamId,
      appId,
      type,
      data,
      brief,
      id: givenId,
      callbackUrl = null,
      recipients = [],
      toEndpoints = true,
    }) {
      const hasOwnRecipient = callbackUrl !== null || recipients.length > 0
      const keptSeconds = hasOwnRecipient ? KEPT_SECONDS : toEndpoints ? await keptSecondsFor(appId, type) : 0
      if (keptSeconds === 0) return
      const createdAt = wallClock()
      const id = givenId ?? createId("webhook_event", createdAt)
      const expiresAt = Math.floor(createdAt / 1000) + keptSeconds
      const event = {
        id,
        teamId,
        appId,
        type,
        ...(data instanceof SealedEventData
          ? { data: null, sealedData: { keyVersion: data.keyVersion, sealed: data.sealed } }
          : { data: JSON.stringify(data) }),
        ...(brief && { hasBrief: true }),
        callbackUrl,
        recipients: recipients.map((recipient) => ({ ...recipient, body: JSON.stringify(recipient.body) })),
        toEndpoints,
        createdAt,
        status: "pending",
      }
      // Listed first: readers skip an entry whose event was never written, but an event that is not listed would be
      // lost.
      await eventsTable.put(pendingKey(id), { appId, revision: 1, expiresAt })
      if (brief) {
        const { keyVersion, sealed } = brief.data
        const briefExpiresAt = Math.floor(brief.untilMs / 1000)
        await eventsTable.put(briefKey(appId, id), {
          id,
          keyVersion,
          sealed,
          expiresAt: briefExpiresAt,
          revision: 1,
        })
      }
      await eventsTable.create(eventKey(appId, id), { ...event, revision: 1, expiresAt })
      await queues.send("events", { appId, eventId: id })
    },
    forget: (appId) => cache.forget(appId),
  }
}
