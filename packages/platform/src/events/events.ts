import { type Clocks, createCache, createId } from "@sealway/kernel"
import * as z from "zod"
import type { App } from "../accounts/app-table.ts"
import { CONFIGURATION_TTL_MS } from "../accounts/directory.ts"
import { openForApp, sealedShape, sealForApp } from "../keys/app-seal.ts"
import type { Keyring } from "../keys/keyring.ts"
import type { QueueSender } from "../stage/queue-sender.ts"
import { appPartition } from "../tables/partitions.ts"
import type { Table } from "../tables/table.ts"
import type { NamedEvent } from "./event-types.ts"

/** What a webhook endpoint can be told of. */
export type EventType = NamedEvent | "relay.alert.test" | `payments.${string}`

/** Who is told of an event besides webhook endpoints, in words of its own. */
export interface EventRecipient {
  /** Tells it from the event's other recipients, and from webhook endpoints. */
  readonly id: string
  /** The sort key of the record, among the app's configuration, whose `url` is where it is. Once that is gone it is told no more. */
  readonly recordKey: string
  /** What it is sent in the place of `{id, type, data}`. */
  readonly body: object
}

export interface NewEvent {
  readonly teamId: string
  readonly appId: string
  readonly type: EventType
  /** What receivers are told. Never data, keys or tokens, unless it is sealed: see `sealEventData`. */
  readonly data: object | SealedEventData
  /** What receivers are told in its place until a time, for what must not be kept longer. Default: nothing. */
  readonly brief?: BriefEventData
  /** Default: a new one. An event of an id that was published before is not published again. */
  readonly id?: string
  /** Where it is delivered to besides the app's webhook endpoints, whatever those take. Default: nowhere. */
  readonly callbackUrl?: string | null
  /** Who is told besides. Signed with the app's callback secret. Default: nobody. */
  readonly recipients?: readonly EventRecipient[]
  /** Whether the app's webhook endpoints that take its type are told. Default: true. */
  readonly toEndpoints?: boolean
}

/** What receivers are told, kept sealed with the app's keys until it is sent. */
export class SealedEventData {
  readonly keyVersion: number
  readonly sealed: Uint8Array

  constructor(keyVersion: number, sealed: Uint8Array) {
    this.keyVersion = keyVersion
    this.sealed = sealed
  }
}

/** What receivers are told until a time: it is kept apart from its event, so that the table itself removes it. */
export interface BriefEventData {
  readonly data: SealedEventData
  /** Epoch milliseconds. */
  readonly untilMs: number
}

const placeOfData = (app: App, eventId: string) => ({ app, purpose: "event-data", place: eventId }) as const

/** Seals the data of an event that holds more than anybody may read where events are kept. @param data JSON */
export async function sealEventData(
  keyring: Pick<Keyring, "newest">,
  app: App,
  eventId: string,
  data: string,
): Promise<SealedEventData> {
  const { keyVersion, sealed } = await sealForApp(keyring, placeOfData(app, eventId), Buffer.from(data))
  return new SealedEventData(keyVersion, sealed)
}

/** @throws Error when it was not sealed for this event with this app's keys */
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
   * Hands an event over for delivery to the app's webhook endpoints and listeners, and its own recipients. When it
   * resolves the event is kept until it is delivered, or its deliveries have all failed. Nothing is kept where there is
   * nowhere to deliver it to.
   */
  publish(event: NewEvent): Promise<void>
  /** Reads anew, when next asked, which events an app's webhook endpoints and listeners take. */
  forget(appId: string): void
}

/** How long events and their deliveries can be listed. */
const KEPT_SECONDS = 30 * 24 * 60 * 60
/** How long an event is kept that listeners take and nobody else. */
export const LISTENED_SECONDS = 60 * 60
const MAX_APPS = 10_000
const PENDING_SHARDS = 16

/** Webhook endpoints (`webhook-endpoint#…`) and listeners (`webhook-listener#…`) are found by one query. */
const SUBSCRIPTION_PREFIX = "webhook-"
const subscriptionSchema = z.object({
  events: z.array(z.string()),
  /** Of a listener: epoch milliseconds until which it takes events. Absent from an endpoint. */
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

/** What receivers of an event are told for a while; null when there is nothing, or its time is over. */
export async function findBriefEventData(
  eventsTable: Pick<Table, "get">,
  appId: string,
  eventId: string,
): Promise<Pick<SealedEventData, "keyVersion" | "sealed"> | null> {
  const item = await eventsTable.get(briefKey(appId, eventId))
  return item && briefSchema.parse(item)
}

/** The partitions that name the events which are not delivered yet. */
export const PENDING_PARTITIONS: readonly string[] = Array.from(
  { length: PENDING_SHARDS },
  (_, shard) => `webhook-pending#${shard}`,
)

/** Where an event is named while it is not delivered, so that it can be found again after a crash. */
export const pendingKey = (eventId: string) => ({
  pk: `webhook-pending#${(eventId.codePointAt(eventId.length - 1) ?? 0) % PENDING_SHARDS}`,
  sk: eventId,
})

/** True when a subscription takes events of a type: by `*`, by name, or by `<prefix>.*`. */
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

  /** How long an event is kept for those who take its type; 0 when nobody does. */
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
      // Named first: what is named and was never written is passed over, what is written and not named would be lost.
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
