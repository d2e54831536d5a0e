import {
  APP_LIMITS,
  type ChosenLimits,
  KEY_LIMITS,
  limitsOf,
  MAX_REQUESTS_PER_SECOND,
  MAX_VALUES_PER_SECOND,
  type RateLimits,
} from "@sealway/accounts"
import * as z from "zod"

const requestsSchema = z.int().min(1).max(MAX_REQUESTS_PER_SECOND)
const valuesSchema = z.int().min(1).max(MAX_VALUES_PER_SECOND)

/** The limits of a key or an app, as answers show them: those that apply. */
export const limitsSchema = z
  .object({
    requestsPerSecond: requestsSchema.describe("Requests, on average over 10 seconds"),
    valuesPerSecond: valuesSchema.describe(
      "Values that are encrypted, decrypted, rewrapped, fingerprinted or changed by relays, on average over 10 seconds",
    ),
  })
  .meta({ id: "RateLimits" })

/** Limits in a request. What is left out stays as it is, at first the default. */
export const limitsInputSchema = z
  .strictObject({
    requestsPerSecond: requestsSchema.nullable().exactOptional().describe("Null for the default"),
    valuesPerSecond: valuesSchema.nullable().exactOptional().describe("Null for the default"),
  })
  .meta({ id: "RateLimitsInput" })

export const showKeyLimits = (chosen: ChosenLimits): RateLimits => limitsOf(chosen, KEY_LIMITS)
export const showAppLimits = (chosen: ChosenLimits): RateLimits => limitsOf(chosen, APP_LIMITS)
