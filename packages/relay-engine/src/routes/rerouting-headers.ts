import { type RawHeaders, someHeader } from "@sealway/kernel"
import { applicationName } from "../headers/headers.ts"
import { decodePercent } from "./decode-percent.ts"

const METHOD_HEADERS: ReadonlySet<string> = new Set([
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
])
const PATH_HEADERS: ReadonlySet<string> = new Set(["x-original-url", "x-rewrite-url"])
/** The form field or query parameter from which web frameworks take a method. */
const METHOD_FIELD = "_method"

/** Whether a request tells its destination, in a header or its query, to treat it as one with another method. */
export function changesMethod(method: string, target: string, rawHeaders: RawHeaders): boolean {
  const isOverride = (name: string, value: string) =>
    METHOD_HEADERS.has(applicationName(name)) && value !== method
  if (someHeader(rawHeaders, isOverride)) return true
  const queryAt = target.indexOf("?")
  if (queryAt === -1) return false
  for (const field of target.slice(queryAt + 1).split("&")) {
    const [name = "", value = ""] = field.split("=", 2)
    if (decodePercent(name) === METHOD_FIELD && decodePercent(value).toUpperCase() !== method) return true
  }
  return false
}

/** Whether a form field overrides the method of its request. Only POST requests can be overridden. */
export function isMethodChange(name: string, value: string): boolean {
  return name === METHOD_FIELD && value.toUpperCase() !== "POST"
}

/** Whether a request tells its destination to treat it as one for another path. */
export function changesPath(rawHeaders: RawHeaders): boolean {
  return someHeader(rawHeaders, (name) => PATH_HEADERS.has(applicationName(name)))
}
