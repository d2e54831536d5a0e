import * as z from "zod"
import {
  apiKeyIdSchema,
  enclavePcrsSchema,
  functionNameSchema,
  hostSchema,
  instantSchema,
  isDestinationHost,
  SOURCES,
} from "./conditions.ts"
import type { DecisionContext } from "./decision.ts"
import { normalizeIp } from "./ip-address.ts"

/** The context of a hypothetical decryption. Conditions on fields that are not given do not hold. */
export const contextInputSchema = z
  .strictObject({
    source: z.enum(SOURCES).default("api"),
    ip: z
      .string()
      .max(64)
      .refine((text) => normalizeIp(text) !== null, "Not an IP address")
      .optional(),
    apiKey: apiKeyIdSchema.optional(),
    function: functionNameSchema.optional(),
    relayDestination: hostSchema.refine(isDestinationHost, "Not a valid host name or IP address").optional(),
    enclavePcrs: enclavePcrsSchema.optional(),
    hasReason: z
      .boolean()
      .optional()
      .describe("Whether the request has the header `X-Service-Reason`. Default: false"),
    time: instantSchema.optional().describe("ISO 8601 with an offset from UTC. Default: now"),
  })
  .meta({ id: "DecryptionContext" })

export type ContextInput = z.infer<typeof contextInputSchema>

/** Converts the context of a decision from its input form. Its time is handled separately, see `timeOf`. */
export function decisionContextOf(input: ContextInput): DecisionContext {
  return {
    source: input.source,
    ip: input.ip ?? null,
    apiKeyId: input.apiKey ?? null,
    functionName: input.function,
    relayDestination: input.relayDestination,
    hasReason: input.hasReason,
    enclavePcrs: input.enclavePcrs,
  }
}

/** Returns epoch milliseconds; null when the caller gave no time. */
export function timeOf({ time }: ContextInput): number | null {
  return time === undefined ? null : Date.parse(time)
}
