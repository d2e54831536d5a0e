import * as z from "zod"

/** What is limited: requests, and the values that they encrypt, decrypt, rewrap, fingerprint or send through relays. */
export type Resource = "requests" | "values"

/** How much a key or an app may do, on average over `BURST_SECONDS`. */
export interface RateLimits {
  readonly requestsPerSecond: number
  readonly valuesPerSecond: number
}

/** The limits that were chosen for a key or an app; null for the default. */
export const chosenLimitsSchema = z.object({
  requestsPerSecond: z.number().nullable(),
  valuesPerSecond: z.number().nullable(),
})

export type ChosenLimits = Readonly<z.infer<typeof chosenLimitsSchema>>

/** The choice of keys and apps that are older than limits, or never had another one. */
export const NO_CHOSEN_LIMITS: ChosenLimits = { requestsPerSecond: null, valuesPerSecond: null }

export const KEY_LIMITS: RateLimits = { requestsPerSecond: 2_000, valuesPerSecond: 250_000 }
export const APP_LIMITS: RateLimits = { requestsPerSecond: 5_000, valuesPerSecond: 500_000 }

export const MAX_REQUESTS_PER_SECOND = 1_000_000
export const MAX_VALUES_PER_SECOND = 1_000_000_000

/** Returns the limits that apply. */
export function limitsOf(chosen: ChosenLimits, defaults: RateLimits): RateLimits {
  return {
    requestsPerSecond: chosen.requestsPerSecond ?? defaults.requestsPerSecond,
    valuesPerSecond: chosen.valuesPerSecond ?? defaults.valuesPerSecond,
  }
}
