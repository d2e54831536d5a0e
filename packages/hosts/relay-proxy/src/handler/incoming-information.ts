import { headersWithout, type RawHeaders } from "@sealway/kernel"
import { MessageReport, transformMessage, withoutOwnSubject } from "@sealway/relay-engine"
import type { InboundRequest } from "../exchange.ts"
import { type Exchange, type TransformDependencies, transformOptions } from "./exchange.ts"
import { responseHeaders } from "./forwarded-headers.ts"
import { withOwnLocations } from "./rewrite-locations.ts"

/** A 1xx answer, such as 103 (RFC 9110 section 15.2). */
type Inform = NonNullable<InboundRequest["onInformation"]>

/** The maximum number of 1xx answers before a final one. Further ones are dropped. */
const MAX_INFORMATION = 100

/** Forwards 1xx answers to the client, in order. */
export interface Information {
  readonly inform: Inform
  /** Resolves when everything received was forwarded. Null: nothing waits for that. */
  settled(): Promise<void> | null
}

/**
 * Forwards a destination's 1xx answers by the rules of its final one: selected headers are changed, and headers that
 * only a relay may set are dropped. They have no body, so no `Content-Length` (section 8.6). One that cannot be changed
 * is dropped: nothing depends on it.
 */
export function incomingInformation(
  exchange: Exchange,
  inform: Inform,
  dependencies: TransformDependencies,
): Information {
  const operations = exchange.routes.response
  let count = 0
  let last: Promise<void> | null = null
  const passOn: Inform = (status, rawHeaders) => inform(status, withOwnLocations(exchange, rawHeaders))

  async function change(status: number, own: RawHeaders): Promise<void> {
    const options = transformOptions(exchange, "response", dependencies)
    const message = {
      direction: "response",
      method: null,
      status,
      target: null,
      rawHeaders: own,
      body: null,
      contentLength: null,
    } as const
    const report = new MessageReport(operations)
    const { rawHeaders } = await transformMessage(message, operations, { ...options, report })
    passOn(status, rawHeaders)
  }

  return {
    inform(status, rawHeaders) {
      if (++count > MAX_INFORMATION) return
      const own = headersWithout(responseHeaders(rawHeaders), (name) => name === "content-length")
      if (operations.header.operations.length === 0) passOn(status, withoutOwnSubject(operations, own))
      else last = (last ?? Promise.resolve()).then(() => change(status, own).catch(() => undefined))
    },
    settled: () => last,
  }
}
