import type { CardBrand } from "@sealway/kernel"
import { AREQ_2_2_0, AREQ_2_3_1, MESSAGE_VERSIONS, schemaOf } from "@sealway/three-d-secure"
import * as z from "zod"
import { panSchema } from "./card-values.ts"

/** Networks with a directory server. Cards of RuPay have no brand here. */
export const directoryServerSchema = z.enum([
  ...(["visa", "mastercard", "american-express", "discover", "diners-club", "jcb", "unionpay"] as const),
  "rupay",
])
export type DirectoryServer = z.infer<typeof directoryServerSchema>

/** The network whose directory server answers for cards of a brand. Cards of local brands are also cards of another. */
export const DIRECTORY_SERVERS: Readonly<Record<CardBrand, DirectoryServer>> = {
  visa: "visa",
  mastercard: "mastercard",
  "american-express": "american-express",
  discover: "discover",
  "diners-club": "diners-club",
  jcb: "jcb",
  unionpay: "unionpay",
  maestro: "mastercard",
  dankort: "visa",
  "cartes-bancaires": "visa",
}

export const threeDSRangeRequestSchema = z.lazy(() =>
  z.strictObject({
    number: panSchema,
    serviceOrigin: z
      .string()
      .max(300)
      .regex(/^https?:\/\/[a-z0-9.:[\]-]+$/, "An origin")
      .describe("Where browsers reach Sealway, without a path"),
  }),
)

/** The directory server's answer about the range of a number. */
export const threeDSRangeAnswerSchema = z.lazy(() =>
  z.strictObject({
    range: z
      .strictObject({
        directoryServer: directoryServerSchema.describe(
          "The network whose directory server answers for the number",
        ),
        versions: z
          .array(
            z.strictObject({
              version: z.enum(MESSAGE_VERSIONS),
              threeDSMethodURL: z
                .string()
                .max(2_048)
                .regex(/^https?:\/\/[a-zA-Z0-9.-]+(:[0-9]{1,5})?(\/[!-~]*)?$/, "An absolute URL")
                .exactOptional()
                .describe("URL where the issuer takes a browser's fingerprint. Absent if it takes none"),
            }),
          )
          .min(1)
          .max(MESSAGE_VERSIONS.length)
          .describe(
            "Versions that the 3DS server, the directory server and the access control server all support",
          ),
      })
      .nullable()
      .describe("Null when the number is in no range, so the card is not enrolled"),
  }),
)

/** An unread message of EMV 3-D Secure: a JSON object without duplicate names. */
export const unreadMessageSchema = z.record(z.string(), z.unknown())

export const authenticateRequestSchema = z.lazy(() =>
  z.strictObject({
    directoryServer: directoryServerSchema.describe("The network of the directory server"),
    areq: z.union([schemaOf(AREQ_2_2_0), schemaOf(AREQ_2_3_1)]),
  }),
)

export const authenticateAnswerSchema = z.lazy(() =>
  z.strictObject({
    message: unreadMessageSchema.describe("The directory server's response: an ARes or an Erro"),
  }),
)

export type ThreeDSRangeRequest = z.infer<typeof threeDSRangeRequestSchema>
export type ThreeDSRangeAnswer = z.infer<typeof threeDSRangeAnswerSchema>
export type UnreadMessage = z.infer<typeof unreadMessageSchema>
export type AuthenticateRequest = z.infer<typeof authenticateRequestSchema>
export type AuthenticateAnswer = z.infer<typeof authenticateAnswerSchema>
