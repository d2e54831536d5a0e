import { eachHeader, type RawHeaders } from "@sealway/kernel"
import { createDataObject } from "./data-object.ts"

/** The headers of a request in payload format 2.0. */
export interface RequestHeaders {
  /** Lower-case name to value; values of repeated headers are joined with `,`. A data object. */
  readonly fields: Record<string, string>
  /** Each `name=value` of the Cookie headers, which `fields` does not include; undefined when there are none. */
  readonly cookies: string[] | undefined
  /** How many Host headers there were. */
  readonly hostCount: number
}

/**
 * Parses raw headers. Bytes above 127 in a value, which HTTP leaves undefined, become the Latin-1 characters of the
 * same number.
 */
export function readRequestHeaders(rawHeaders: RawHeaders): RequestHeaders {
  const fields = createDataObject()
  let cookies: string[] | undefined
  let hostCount = 0
  eachHeader(rawHeaders, (spelled, value) => {
    const name = spelled.toLowerCase()
    if (name === "cookie") {
      cookies = [...(cookies ?? []), ...splitCookies(value)]
      return
    }
    if (name === "host") hostCount += 1
    const earlier = fields[name]
    fields[name] = earlier === undefined ? value : `${earlier},${value}`
  })
  return { fields, cookies, hostCount }
}

function splitCookies(value: string): string[] {
  return value
    .split(";")
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie !== "")
}
