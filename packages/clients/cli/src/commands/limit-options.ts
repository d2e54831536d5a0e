import type { RateLimits } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"

const limitSchema = (flag: string) =>
  z
    .string()
    .regex(/^(?:[1-9][0-9]{0,9}|default)$/, `${flag} must be a whole number from 1 on, or default`)
    .transform((text) => (text === "default" ? null : Number(text)))
    .optional()

/** The options that set the limits of a key or an app. */
export const limitOptionsSchema = z.object({
  requestsPerSecond: limitSchema("--requests-per-second"),
  valuesPerSecond: limitSchema("--values-per-second"),
})

export function addLimitOptions(command: Command): Command {
  return command
    .option("--requests-per-second <number>", "limit, on average over 10 seconds; default for the usual one")
    .option(
      "--values-per-second <number>",
      "limit of values encrypted, decrypted or sent through relays; default for the usual one",
    )
}

/** Returns the limits to send; undefined when none is given. */
export function limitsIn({ requestsPerSecond, valuesPerSecond }: z.infer<typeof limitOptionsSchema>) {
  if (requestsPerSecond === undefined && valuesPerSecond === undefined) return undefined
  return {
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
    ...(valuesPerSecond !== undefined && { valuesPerSecond }),
  }
}

export function formatLimits({ requestsPerSecond, valuesPerSecond }: RateLimits): string {
  return `${requestsPerSecond} requests/s, ${valuesPerSecond} values/s`
}
