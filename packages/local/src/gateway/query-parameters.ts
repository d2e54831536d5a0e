import { unescape as percentDecode } from "node:querystring"
import { createDataObject } from "./data-object.ts"

/**
 * Query parameters as payload format 2.0 has them: names and values decoded (`+` is a space), values of a name that
 * came more than once joined with `,`. Undefined when there are none.
 *
 * What is not valid percent-encoding stays as it is.
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
