import * as z from "zod"
import { readAnswer } from "../service/answers.ts"
import { jsonBody } from "../service/json-body.ts"
import type { ServiceClient } from "../service/service-client.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { CommandFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"

const PATH = ["webhook-listeners"]
/** How soon to look again when nothing was waiting. */
const POLL_EVERY_MS = 1_000
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000

const eventSchema = z.object({ id: z.string(), type: z.string(), createdAt: z.number(), data: z.unknown() })
const fetchedSchema = z.object({
  data: z.array(eventSchema),
  hasDropped: z.boolean(),
})
const listenerSchema = z.object({ id: z.string() })

export type ListenedEvent = z.infer<typeof eventSchema>

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
 * @throws CommandFailure when the service refuses, or cannot be reached at the start
 */
export async function* listenForEvents(
  service: ServiceClient,
  closing: ServiceClient,
  { sleep, signal }: Pick<CliHost, "sleep" | "signal">,
  events: readonly string[],
  reports: ListeningReports,
): AsyncGenerator<ListenedEvent> {
  let listenerId = await createListener(service, events)
  reports.onReady()
  let handled: string[] = []
  let failures = 0
  try {
    for (;;) {
      let fetched: z.infer<typeof fetchedSchema>
      try {
        fetched = await fetchEvents(service, listenerId, handled)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof CommandFailure)) throw error
        if (error.exitCode === EXIT.notFound) {
          listenerId = await createListener(service, events)
          handled = []
          reports.onForgotten()
          continue
        }
        if (error.exitCode !== EXIT.unavailable) throw error
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
    await removeListener(closing, listenerId)
  }
}

async function createListener(service: ServiceClient, events: readonly string[]): Promise<string> {
  const response = await service.send({ method: "POST", path: PATH, body: jsonBody({ events }) })
  return (await readAnswer(response, listenerSchema)).value.id
}

async function fetchEvents(service: ServiceClient, listenerId: string, handled: readonly string[]) {
  const path = [...PATH, listenerId, "fetch"]
  const call = { method: "POST", path, body: jsonBody({ handled }), writes: false } as const
  return (await readAnswer(await service.send(call), fetchedSchema)).value
}

/** It also expires by itself, only later. */
async function removeListener(service: ServiceClient, listenerId: string): Promise<void> {
  await service.send({ method: "DELETE", path: [...PATH, listenerId] }).catch(() => undefined)
}
