import { ForbiddenError } from "@sealway/kernel"
import type { RequestHeaders } from "./sent-key.ts"

/** The header that only a page's own code can add: forms and links cannot, and CORS does not allow it to other pages. */
export const PAGE_HEADER = { name: "x-requested-with", value: "sealway" } as const

/**
 * Refuses requests that another site's page may have made a browser send. Reading is safe without the header, because
 * another site cannot see the answer.
 *
 * @param origin of the pages that may call
 * @throws ForbiddenError
 */
export function requireSameOrigin(headers: RequestHeaders, origin: string, isReading: boolean): void {
  const { origin: sentOrigin, "sec-fetch-site": site } = headers
  const isSameSite = site === undefined || site === "same-origin" || (isReading && site === "none")
  const isSameOrigin = sentOrigin === undefined ? isReading : sentOrigin === origin
  const isFromCode = isReading || headers[PAGE_HEADER.name] === PAGE_HEADER.value
  if (isSameSite && isSameOrigin && isFromCode) return
  throw new ForbiddenError(
    "A request by session needs the header X-Requested-With: sealway and the Origin of the service's own pages.",
  )
}
