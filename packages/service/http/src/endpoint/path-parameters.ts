import { type IdPrefix, idPattern, MAX_ID_CHARACTERS } from "@sealway/kernel"
import * as z from "zod"

/**
 * The schema of an id in a path. The OpenAPI document shows its shape. A malformed id is not a request error: it names
 * nothing and is answered with 404, as long as it is short enough to look up.
 */
export function idParameter(prefix: IdPrefix, description: string) {
  return z
    .string()
    .max(MAX_ID_CHARACTERS)
    .meta({ description, pattern: idPattern(prefix).source })
}
