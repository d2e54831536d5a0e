import { type RawHeaders, someHeader } from "@sealway/kernel"
import { applicationName } from "../headers/headers.ts"
import { decodePercent } from "./decode-percent.ts"

/**
 * The names under which frameworks look for another method, as `applicationName`s, in headers, the query, forms and
 * JSON: `_method` (Symfony, Laravel, Rack, Spring), which PHP makes of `.method` too, `_METHOD` (Slim), and
 * `X-HTTP-Method-Override`, `X-HTTP-Method`, `X-Method-Override`.
 */
const OVERRIDE = /^-+method-*$|^-*x-http-method|^-*x-method-override-*$/
const PATH_HEADERS: ReadonlySet<string> = new Set(["x-original-url", "x-rewrite-url"])
/** Longer names than any of those. */
const MAX_NAME_CHARACTERS = 256

/**
 * Whether a header, parameter or field tells the destination to treat a request as one with another method.
 *
 * @param method the request's own, in upper case
 */
export function isMethodOverride(name: string, value: string, method: string): boolean {
  const [read = ""] = name.slice(0, MAX_NAME_CHARACTERS).split("\0", 1)
  return OVERRIDE.test(applicationName(read)) && value.toUpperCase() !== method
}

/** Whether a request does so in a header or its query. */
export function changesMethod(method: string, target: string, rawHeaders: RawHeaders): boolean {
  if (someHeader(rawHeaders, (name, value) => isMethodOverride(name, value, method))) return true
  const queryAt = target.indexOf("?")
  if (queryAt === -1) return false
  for (const field of target.slice(queryAt + 1).split(/[&;]/)) {
    const [name = "", value = ""] = field.split("=", 2)
    if (isMethodOverride(decodePercent(name), decodePercent(value), method)) return true
  }
  return false
}

/** Whether a request tells its destination to treat it as one for another path. */
export function changesPath(rawHeaders: RawHeaders): boolean {
  return someHeader(rawHeaders, (name) => PATH_HEADERS.has(applicationName(name)))
}
