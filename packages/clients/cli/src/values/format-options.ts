import { type Command, Option } from "commander"
import * as z from "zod"
import type { ValueEndpoint } from "../service/send-bytes.ts"
import { UsageFailure } from "../terminal/failures.ts"

/** The options of tokens that fit: `docs/formats.md`. */
export const formatOptionsSchema = z.object({
  format: z.string().min(1, "--format must name a format").optional(),
  tweak: z.string().optional(),
  tokenVersion: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/, "--token-version must be the number of a version, from 1")
    .optional(),
})

/** @param others names of options that only `ev:` tokens have */
export function addFormatOptions(command: Command, others: readonly string[]): Command {
  return command
    .addOption(
      new Option("--format <name>", "id or name of a format, whose tokens look like their values").conflicts([
        "binary",
        ...others,
      ]),
    )
    .option("--tweak <text>", "your public text that goes into the tokens of a format")
}

/** For commands that read tokens. */
export function addTokenVersionOption(command: Command): Command {
  return command.option(
    "--token-version <n>",
    "version of the format that the tokens are of (default of decrypt: the newest)",
  )
}

/**
 * Returns where to send values of a format; null when none is named.
 *
 * @throws UsageFailure when another option needs a format
 */
export function formatEndpointOf(
  action: "encrypt" | "decrypt" | "rewrap",
  { format, tweak, tokenVersion }: z.infer<typeof formatOptionsSchema>,
): ValueEndpoint | null {
  if (format === undefined) {
    if (tweak === undefined && tokenVersion === undefined) return null
    throw new UsageFailure("--tweak and --token-version are for tokens of a format: pass --format.")
  }
  return {
    path: `/formats/${encodeURIComponent(format)}/${action}`,
    ...(tokenVersion !== undefined && { query: { version: tokenVersion } }),
    headers: tweak === undefined ? {} : { "x-service-tweak": tweak },
  }
}
