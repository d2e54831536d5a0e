import * as z from "zod"

const MAX_CRES_CHARACTERS = 100_000

/** Pixels, as browsers report them. */
const pixelsSchema = z.int().min(0).max(999_999)

const startSchema = z.strictObject({
  frame: z
    .strictObject({ width: pixelsSchema, height: pixelsSchema })
    .exactOptional()
    .describe("Size of the frame that shows the challenge. Default: the whole window"),
  browser: z.strictObject({
    javaEnabled: z.boolean(),
    javaScriptEnabled: z.boolean(),
    language: z
      .string()
      .max(35)
      .regex(/^[A-Za-z]{2,8}(?:-[0-9A-Za-z]{1,8})*$/, "This must be a BCP 47 language tag, such as en-IE")
      .describe("A BCP 47 language tag, as `navigator.language` returns it"),
    colorDepth: z.int().min(1).max(99),
    screenHeight: pixelsSchema,
    screenWidth: pixelsSchema,
    timeZone: z.int().min(-9_999).max(9_999).describe("Minutes, as `getTimezoneOffset()` returns them"),
  }),
})

const fingerprintSchema = z.strictObject({ browserFingerprint: z.enum(["complete", "timeout"]) })

const outcomeSchema = z.strictObject({
  outcome: z
    .enum(["success", "failure", "cancelled", "aborted-on-challenge"])
    .describe("The outcome that the page reports. It can end a session but never makes it succeed"),
  cres: z
    .string()
    .max(MAX_CRES_CHARACTERS)
    .nullable()
    .exactOptional()
    .describe("The CRes that the issuer's page sent"),
})

export const browserRequestSchema = z
  .union([startSchema, fingerprintSchema, outcomeSchema])
  .meta({ id: "ThreeDSBrowserStep" })

export type BrowserRequest = z.infer<typeof browserRequestSchema>

export const browserSessionSchema = z
  .object({
    status: z.enum(["action-required", "success", "failure"]),
    nextAction: z
      .union([
        z.object({
          type: z.literal("browser-fingerprint"),
          url: z.string(),
          data: z.string().describe("Post it to the URL in a hidden frame, as threeDSMethodData"),
        }),
        z.object({
          type: z.literal("challenge"),
          url: z.string(),
          creq: z.string().describe("Post it to the URL in a frame, as creq"),
        }),
      ])
      .exactOptional(),
  })
  .meta({ id: "ThreeDSBrowserSession" })

export type BrowserSession = z.infer<typeof browserSessionSchema>
