import { eachHeader, type RawHeaders } from "@sealway/kernel"
import { createDataObject } from "./data-object.ts"

/** The headers of a request as payload format 2.0 has them. */
export interface RequestHeaders {
  /** Lower-case name to value; values of a header that came more than once are joined with `,`. A data object. */
  readonly fields: Record<string, string>
  /** Each `name=value` of the Cookie headers, which are not among `fields`; undefined when there are none. */
  readonly cookies: string[] | undefined
  /** How often Host came. */
  readonly hostCount: number
}

/**
 * Bytes above 127 in a value, which HTTP leaves without a meaning, come as the Latin-1 characters of the same number.
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
