import type { App } from "@sealway/accounts"
import { isId, NotFoundError } from "@sealway/kernel"
import { type AuditAuthor, type AuditEntry, appEntry, recordChanges } from "@sealway/records"
import type { WebhookDependencies } from "../dependencies.ts"
import { eventDataOf } from "../records/event-data.ts"
import { readInbox, removeFromInbox } from "../records/listener-inbox.ts"
import { eventRecords, type WebhookEvent } from "../records/webhook-event-table.ts"
import { listenerRecords, type WebhookListener } from "../records/webhook-listener-table.ts"

/** The maximum number of listeners of an app. */
export const MAX_LISTENERS = 10
/** How long a listener that fetches nothing stays subscribed. */
export const LISTEN_MS = 15 * 60_000
/** The maximum number of events in one answer. */
const MAX_FETCHED = 20

const listenerChanges = recordChanges({
  records: listenerRecords,
  max: MAX_LISTENERS,
  tooMany: `The app has ${MAX_LISTENERS} listeners, the maximum. A listener that fetches no events ends after 15 minutes.`,
  changedMeanwhile: "Another request is changing this listener. Try again.",
  forget: ({ events }: WebhookDependencies, appId) => events.forget(appId),
  counts: ({ listensUntil }, { createdAt }) => listensUntil > createdAt,
})

/** An event as a listener receives it. */
export interface FetchedEvent extends Pick<WebhookEvent, "id" | "type" | "createdAt"> {
  /** JSON, opened if it was sealed. */
  readonly data: string
}

/** The answer to a listener's fetch. */
export interface FetchedEvents {
  readonly listener: WebhookListener
  /** In the order of publishing. */
  readonly events: readonly FetchedEvent[]
  readonly hasMore: boolean
  /** Whether events were dropped since the previous call, because too many were waiting. */
  readonly hasDropped: boolean
}

/** Creates a listener. @throws ConflictError when the app has 10 listeners */
export async function addListener(
  dependencies: WebhookDependencies,
  app: App,
  events: readonly string[],
  author: AuditAuthor,
): Promise<WebhookListener> {
  const { configTable, draws, wallClock } = dependencies
  const createdAt = wallClock()
  const isOver = ({ listensUntil }: WebhookListener) => listensUntil <= createdAt
  const known = await listenerRecords.list(configTable, app.id)
  listenerChanges.requireRoom(known.filter((each) => !isOver(each)))
  const listener: WebhookListener = {
    id: draws.newId("webhook_listener", createdAt),
    appId: app.id,
    events: [...events],
    createdAt,
    listensUntil: createdAt + LISTEN_MS,
    revision: 1,
  }
  const entry = { ...entryOf(app, listener, "create", author), details: { events: events.join(" ") } }
  // Expired listeners that were never removed.
  await Promise.all(known.filter(isOver).map((each) => listenerRecords.remove(configTable, app.id, each)))
  return listenerChanges.create(dependencies, entry, app.id, listener)
}

/**
 * Returns the events that wait for a listener, and drops those that it has handled. Events that are not reported as
 * handled come again with the next call, so that nothing is lost when an answer is.
 *
 * @param handled ids of events that an earlier call returned
 * @throws NotFoundError when the app has no such listener, or it has expired
 */
export async function fetchEvents(
  { configTable, eventsTable, keyring, wallClock }: WebhookDependencies,
  app: App,
  id: string,
  handled: readonly string[],
): Promise<FetchedEvents> {
  const nowMs = wallClock()
  const listener = await requireListener(configTable, app, id, nowMs)
  const { waiting, droppedKey } = await readInbox(eventsTable, app.id, id)
  const done = new Set(handled)
  const left = waiting.filter(({ eventId }) => !done.has(eventId))
  const first = await Promise.all(
    left
      .slice(0, MAX_FETCHED)
      .map(async ({ key, eventId }) => ({
        key,
        event: await eventRecords.find(eventsTable, app.id, { id: eventId }),
      })),
  )
  const events = await Promise.all(
    first.map(
      async ({ event }) =>
        event && { ...event, data: await eventDataOf({ keyring, eventsTable }, app, event) },
    ),
  )
  await removeFromInbox(eventsTable, [
    ...waiting.filter(({ eventId }) => done.has(eventId)).map(({ key }) => key),
    ...first.filter(({ event }) => event === null).map(({ key }) => key),
    ...(droppedKey === null ? [] : [droppedKey]),
  ])
  return {
    listener: await prolong(configTable, listener, nowMs),
    events: events.filter((event) => event !== null),
    hasMore: left.length > MAX_FETCHED,
    hasDropped: droppedKey !== null,
  }
}

/**
 * Deletes a listener.
 *
 * @throws NotFoundError when the app has no such listener, ConflictError when another call changes it first
 */
export async function removeListener(
  dependencies: WebhookDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const { configTable, wallClock } = dependencies
  const listener = await requireListener(configTable, app, id, wallClock())
  const entry = entryOf(app, listener, "delete", author)
  await listenerChanges.remove(dependencies, entry, app.id, listener)
}

async function requireListener(
  configTable: WebhookDependencies["configTable"],
  app: App,
  id: string,
  nowMs: number,
): Promise<WebhookListener> {
  const listener = isId("webhook_listener", id)
    ? await listenerRecords.find(configTable, app.id, { id })
    : null
  if (listener === null || listener.listensUntil <= nowMs) throw new NotFoundError("The webhook listener")
  return listener
}

/** Writes rarely: a listener calls every second, and its time is hundreds of calls. */
async function prolong(
  configTable: WebhookDependencies["configTable"],
  listener: WebhookListener,
  nowMs: number,
): Promise<WebhookListener> {
  if (listener.listensUntil - nowMs > LISTEN_MS / 2) return listener
  const prolonged = { ...listener, listensUntil: nowMs + LISTEN_MS }
  // Null means that another call has done the same, or removed it.
  return (await listenerRecords.replace(configTable, prolonged.appId, prolonged)) ?? listener
}

function entryOf(app: App, { id }: WebhookListener, verb: string, author: AuditAuthor): AuditEntry {
  return appEntry(app, { type: "webhook-listener", id }, verb, author)
}
