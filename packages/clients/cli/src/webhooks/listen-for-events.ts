import {
  ApiError,
  createWebhookListener,
  deleteWebhookListener,
  type FetchedWebhookEvents,
  fetchWebhookEvents,
  type Transport,
} from "@sealway/sdk/api"
import { isUnavailable } from "../terminal/failure-of.ts"
import type { CliHost } from "../terminal/host.ts"

/** How soon to look again when nothing was waiting. */
const POLL_EVERY_MS = 1_000
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000

export type ListenedEvent = FetchedWebhookEvents["data"][number]

/** Receives what happens besides events. */
export interface ListeningReports {
  /** Events are received from now on. */
  onReady(): void
  /** The service drops events when too many are waiting. */
  onDropped(): void
  /** The service has forgotten the listener: events until now are missed. */
  onForgotten(): void
  onBroken(pauseMs: number): void
  onResumed(): void
}

/**
 * Fetches an app's events as they happen, in the order of publishing. An event counts as handled when the next one is
 * requested; until then the service returns it again. Continues after the service could not be reached, and ends when
 * the user gives up.
 *
 * @param closing the client that removes the listener at the end, when `host.signal` may have aborted all other calls
 * @throws ApiError or UnavailableFailure when the service refuses, or cannot be reached at the start
 */
export async function* listenForEvents(
  service: Transport,
  closing: Transport,
  { sleep, signal }: Pick<CliHost, "sleep" | "signal">,
  events: readonly string[],
  reports: ListeningReports,
): AsyncGenerator<ListenedEvent> {
  let { id: webhookListenerId } = await createWebhookListener(service, { body: { events } })
  reports.onReady()
  let handled: string[] = []
  let failures = 0
  try {
    for (;;) {
      let fetched: FetchedWebhookEvents
      try {
        fetched = await fetchWebhookEvents(service, { webhookListenerId, body: { handled } })
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof ApiError && error.status === 404) {
          const { id } = await createWebhookListener(service, { body: { events } })
          webhookListenerId = id
          handled = []
          reports.onForgotten()
          continue
        }
        if (!isUnavailable(error)) throw error
        const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS)
        failures += 1
        reports.onBroken(pauseMs)
        await sleep(pauseMs, signal)
        continue
      }
      if (failures > 0) reports.onResumed()
      failures = 0
      handled = []
      if (fetched.hasDropped) reports.onDropped()
      for (const event of fetched.data) {
        yield event
        handled.push(event.id)
      }
      if (fetched.data.length === 0) await sleep(POLL_EVERY_MS, signal)
    }
  } finally {
    // It also expires by itself, only later.
    await deleteWebhookListener(closing, { webhookListenerId }).catch(() => undefined)
  }
}
