import { ONE_LINE, ONE_LINE_RULE } from "@sealway/kernel"
import { HIDDEN, type Mask, patternProblem } from "@sealway/kernel/masks"
import * as z from "zod"

const MAX_SHOWN_CHARACTERS = 20
const MAX_TEXT = 100

const keepLength = () =>
  z
    .boolean()
    .default(false)
    .describe(
      "Whether there are as many `•` as hidden characters. Default: always three, which hides the length",
    )

/** How values of a role look masked. A value that does not fit becomes `•••`. */
export const maskSchema = z.lazy(() =>
  z
    .discriminatedUnion("type", [
      z
        .strictObject({
          type: z.literal("last"),
          count: z.int().min(1).max(MAX_SHOWN_CHARACTERS).describe("How many characters are shown"),
          keepLength: keepLength(),
        })
        .describe("The last characters, of values that have at least four times as many"),
      z
        .strictObject({
          type: z.literal("first-last"),
          first: z
            .union([z.literal(6), z.literal(8)])
            .default(6)
            .describe(
              "How many first digits are shown of numbers with 16 digits or more; of shorter ones, 6",
            ),
          keepLength: keepLength(),
        })
        .describe("The first and the last four digits of a card number (PCI DSS 3.4.1)"),
      z
        .strictObject({ type: z.literal("email"), keepLength: keepLength() })
        .describe("The first character and the domain of an e-mail address"),
      z.strictObject({ type: z.literal("name") }).describe("The initials of a name"),
      z
        .strictObject({
          type: z.literal("date"),
          shows: z.enum(["year", "month"]).default("year").describe("`month`: the year and the month"),
        })
        .describe("The year of a date"),
      z
        .strictObject({ type: z.literal("phone") })
        .describe("The country code and the last two digits of a telephone number"),
      z
        .strictObject({ type: z.literal("ip") })
        .describe("The network of an IP address: /16 for IPv4, /48 for IPv6"),
      z
        .strictObject({
          type: z.literal("fixed"),
          text: z.string().max(MAX_TEXT).regex(ONE_LINE, ONE_LINE_RULE).default(HIDDEN),
        })
        .describe("Always the same text"),
      z
        .strictObject({
          type: z.literal("pattern"),
          pattern: z
            .string()
            .max(MAX_TEXT)
            .regex(/^[ -~]*$/, "A pattern consists of printable ASCII characters")
            .superRefine((pattern, context) => {
              const message = patternProblem(pattern)
              if (message !== null) context.addIssue({ code: "custom", message })
            })
            .describe(
              "`#` shows the character at its place, `*` hides it; any other must be in the value: `***-**-####`. At least as many `*` as `#`",
            ),
        })
        .describe("The characters at some places, of values of one length"),
    ])
    .meta({ id: "Mask" }),
) satisfies z.ZodType<Mask>
