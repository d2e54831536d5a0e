import { ALPHABETS, type Format, LONGEST_VALUE, PRESETS } from "@sealway/format-cipher"
import { invalidField, ONE_LINE, ONE_LINE_RULE } from "@sealway/kernel"
import { ROLE_SLUG } from "@sealway/tokens"
import * as z from "zod"
import { FORMAT_NAME } from "../management/manage-formats.ts"
import type { FormatRecord } from "../records/format-table.ts"

export const MAX_FORMAT_BYTES = 8 * 1024

/** The longest set of characters, in UTF-16. */
const MAX_CHARACTERS = 200

export const formatNameSchema = z
  .string()
  .regex(FORMAT_NAME)
  .describe("Lower-case letters, digits and dashes, at most 64; begins with a letter. Cannot be changed")

export const descriptionSchema = z
  .string()
  .max(200)
  .regex(ONE_LINE, ONE_LINE_RULE)
  .describe("What the format is for")

const lengthsSchema = z
  .strictObject({ min: z.int().min(1).max(LONGEST_VALUE), max: z.int().min(1).max(LONGEST_VALUE) })
  .describe("How many characters of the alphabet a value has")

const keepSchema = z
  .strictObject({
    first: z.int().min(0).max(LONGEST_VALUE).default(0),
    last: z.int().min(0).max(LONGEST_VALUE).default(0),
  })
  .describe(
    "How many of its first and last characters stay as they are. Of digits at most 6, or 8 of 16 and more, and 4",
  )

const presetSchema = z.enum(Object.keys(PRESETS))

export const formatInputSchema = z
  .strictObject({
    name: formatNameSchema,
    role: z.string().regex(ROLE_SLUG).describe("Slug of the data role whose policies decide who may decrypt"),
    description: descriptionSchema.default(""),
    preset: presetSchema
      .optional()
      .describe("A format that is known: then `alphabet` and what belongs to it are left out"),
    alphabet: z
      .string()
      .max(MAX_CHARACTERS)
      .optional()
      .describe(
        `What is encrypted: ${Object.keys(ALPHABETS)
          .map((name) => `\`${name}\``)
          .join(", ")}, or 2 to 100 characters`,
      ),
    lengths: lengthsSchema.optional(),
    keep: keepSchema.optional(),
    literals: z
      .string()
      .max(MAX_CHARACTERS)
      .optional()
      .describe("Characters that stay where they are, such as spaces and dashes. Default: none"),
    luhn: z
      .enum(["keep", "break", "any"])
      .optional()
      .describe(
        "Of digits. `keep`: values and tokens pass the Luhn check. `break`: values do and tokens do not, so that no token can be taken for a card. Default: `any`",
      ),
    versioned: z
      .boolean()
      .default(false)
      .describe("Whether tokens end with one character more, which names the version that encrypted them"),
  })
  .meta({ id: "FormatInput" })

/** Returns the layout that is asked for. @throws InvalidRequestError when it is given by halves, or twice */
export function readLayout(input: z.infer<typeof formatInputSchema>): Format {
  const { preset, alphabet, lengths, keep, literals, luhn } = input
  if (preset !== undefined) {
    const given = Object.entries({ alphabet, lengths, keep, literals, luhn }).find(
      ([, value]) => value !== undefined,
    )
    if (given !== undefined)
      throw invalidField(`/${given[0]}`, "A preset says this itself. Leave one of them out.")
    const format = PRESETS[preset]
    if (format === undefined) throw new TypeError("The schema names a preset that does not exist")
    return format
  }
  if (alphabet === undefined) throw invalidField("/alphabet", "Pass a preset, or an alphabet and lengths.")
  if (lengths === undefined)
    throw invalidField("/lengths", "Say how many characters of the alphabet a value has.")
  return {
    kind: "characters",
    alphabet: Object.entries(ALPHABETS).find(([name]) => name === alphabet)?.[1] ?? alphabet,
    lengths,
    keep: keep ?? { first: 0, last: 0 },
    literals: literals ?? "",
    luhn: luhn ?? "any",
  }
}

export const formatSchema = z
  .object({
    id: z.string(),
    name: formatNameSchema,
    role: z.string().describe("Slug of the data role whose policies decide who may decrypt"),
    description: descriptionSchema,
    kind: z
      .enum(["characters", "date", "email", "iban", "uuid"])
      .describe(
        "`characters`: of an alphabet. The others have a grammar of their own, which their tokens keep",
      ),
    alphabet: z.string().optional(),
    lengths: z.object({ min: z.int(), max: z.int() }).optional(),
    keep: z.object({ first: z.int(), last: z.int() }).optional(),
    literals: z.string().optional(),
    luhn: z.enum(["keep", "break", "any"]).optional(),
    versioned: z.boolean().describe("Whether tokens end with a character that names their version"),
    version: z.int().describe("The version that encrypts; those before it decrypt"),
    archived: z.boolean().describe("Whether it encrypts no more"),
    createdAt: z.int().describe("Epoch milliseconds"),
    updatedAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "Format" })

export const formatPathSchema = z.object({
  format_id: z.string().max(64).describe("Id or name of the format"),
})

/** Returns a format as callers see it. */
export function showFormat(format: FormatRecord): z.infer<typeof formatSchema> {
  const { id, name, role, description, layout, versioned, keyVersions, archived, createdAt, updatedAt } =
    format
  return {
    id,
    name,
    role,
    description,
    ...layout,
    versioned,
    version: keyVersions.length,
    archived,
    createdAt,
    updatedAt,
  }
}
