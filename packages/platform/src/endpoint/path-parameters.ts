import { type IdPrefix, idPattern, MAX_ID_CHARACTERS } from "@sealway/kernel"
import * as z from "zod"

/**
 * An id in a path. The OpenAPI document tells its shape; what has another one is no error of the request but names
 * nothing, and is answered with 404, as long as it is short enough to be looked up.
 */
export function idParameter(prefix: IdPrefix, description: string) {
  return z
    .string()
    .max(MAX_ID_CHARACTERS)
    .meta({ description, pattern: idPattern(prefix).source })
}
