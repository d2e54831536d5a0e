import { isIP } from "node:net"
import type { Environment } from "@sealway/accounts"
import { isHostName } from "@sealway/kernel"
import * as z from "zod"

const MAX_ORIGINS = 50
/** A name of 253 characters with its scheme and port. */
const MAX_ORIGIN_CHARACTERS = 280

/** Names of the local machine, where a page is served during development. */
const LOCAL_ORIGIN = /^http:\/\/(?:localhost|127\.0\.0\.1):[1-9][0-9]{0,4}$/
const ORIGIN = /^https?:\/\/[a-z0-9._:[\]-]+$/

/** The origins whose pages may call an app, as a browser sends them in `Origin` (RFC 6454, section 6.2). */
export const allowedOriginsSchema = z
  .array(
    z
      .string()
      .max(MAX_ORIGIN_CHARACTERS)
      .regex(
        ORIGIN,
        "Write an origin as https://, a host and, unless it is 443, a port: https://shop.example.com",
      )
      .refine(
        (text) => URL.parse(text)?.origin === text,
        "Write the origin as browsers do: in lower case, in ASCII, without the default port",
      )
      .refine(hasHost, "The host is not a valid host name. Write it without a dot at the end"),
  )
  .max(MAX_ORIGINS)
  .refine((origins) => new Set(origins).size === origins.length, "An origin is listed twice")
  .describe(
    "Origins of the pages that may embed or call what the app serves to browsers: https origins and, for a sandbox app, http://localhost and http://127.0.0.1 with a port. Empty: none",
  )

/** Whether an origin's host is a host name or an IP address. */
function hasHost(origin: string): boolean {
  const host = URL.parse(origin)?.hostname ?? ""
  return isHostName(host) || isIP(host.replace(/^\[|\]$/g, "")) !== 0
}

/** Returns the index of the first origin that an app in an environment may not have; -1 when all are allowed. */
export function findForbiddenOrigin(origins: readonly string[], environment: Environment): number {
  return origins.findIndex(
    (origin) => !origin.startsWith("https://") && !(environment === "sandbox" && LOCAL_ORIGIN.test(origin)),
  )
}
