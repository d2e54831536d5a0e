import { unescape as percentDecode } from "node:querystring"
import { createDataObject } from "./data-object.ts"

/**
 * Parses query parameters as in payload format 2.0: names and values decoded (`+` is a space), repeated values joined
 * with `,`. Returns undefined when there are none.
 *
 * Invalid percent-encoding stays unchanged.
 */
export function parseQueryParameters(rawQueryString: string): Record<string, string> | undefined {
  if (rawQueryString === "") return undefined
  const parameters = createDataObject()
  let isEmpty = true
  for (const pair of rawQueryString.split("&")) {
    if (pair === "") continue
    const equals = pair.indexOf("=")
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    const value = equals === -1 ? "" : decode(pair.slice(equals + 1))
    const earlier = parameters[name]
    parameters[name] = earlier === undefined ? value : `${earlier},${value}`
    isEmpty = false
  }
  return isEmpty ? undefined : parameters
}

function decode(text: string): string {
  return percentDecode(text.replaceAll("+", " "))
}
