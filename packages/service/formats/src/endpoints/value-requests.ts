import { LONGEST_TWEAK } from "@sealway/format-cipher"
import { invalidField } from "@sealway/kernel"
import * as z from "zod"
import type { FormatRecord } from "../records/format-table.ts"
import { MAX_FORMAT_VALUES } from "../values/transform-json.ts"

const TWEAK = new RegExp(`^[!-~]{1,${LONGEST_TWEAK}}$`)

export const tweakHeadersSchema = z.object({
  "x-service-tweak": z
    .string()
    .regex(TWEAK)
    .optional()
    .meta({
      description: `Public text that goes into the token, such as your id of a customer: 1 to ${LONGEST_TWEAK} printable ASCII characters without space. Equal values have other tokens under another tweak, and decrypt only under theirs`,
    }),
})

/** Returns the bytes of the tweak. Default: none. */
export function tweakIn(headers: z.infer<typeof tweakHeadersSchema>): Uint8Array {
  return Buffer.from(headers["x-service-tweak"] ?? "")
}

export const versionQuerySchema = z.strictObject({
  version: z
    .stringFormat("version", /^[1-9][0-9]{0,2}$/)
    .transform(Number)
    .optional()
    .meta({
      description:
        "The version that encrypted the tokens. To decrypt, the newest by default; to rewrap, required. Not for a format whose tokens name it",
      override: { type: "integer", minimum: 1 },
    }),
})

/** Returns the version that tokens are of; null for the newest, or the one that each names. @throws InvalidRequestError */
export function versionIn(
  { version }: z.infer<typeof versionQuerySchema>,
  { versioned, keyVersions }: FormatRecord,
): number | null {
  if (version === undefined) return null
  if (versioned)
    throw invalidField("/query/version", "The tokens of this format name their version. Leave it out.")
  if (version > keyVersions.length) {
    throw invalidField(
      "/query/version",
      `The format has no such version: the newest is ${keyVersions.length}.`,
    )
  }
  return version
}

/** @param what what the strings are: `values` or `tokens` */
export function stringsBody(what: string) {
  return {
    kind: "document",
    formats: ["json"],
    description: `JSON of any shape, whose strings are the ${what}: at most ${MAX_FORMAT_VALUES.toLocaleString("en")}. \`null\` and keys stay; numbers and booleans are refused`,
  } as const
}
