import * as z from "zod"

const MAX_PEM_CHARACTERS = 64 * 1024
const MAX_PASSWORD_CHARACTERS = 1_024

const passwordSchema = z.string().max(MAX_PASSWORD_CHARACTERS).nullable().default(null)

export const clientCertificateSchema = z.lazy(() =>
  z
    .discriminatedUnion("format", [
      z.strictObject({
        format: z.literal("pem"),
        certificate: z
          .string()
          .min(1)
          .max(MAX_PEM_CHARACTERS)
          .describe("The certificate, followed by its chain"),
        privateKey: z.string().min(1).max(MAX_PEM_CHARACTERS),
        password: passwordSchema.describe("Password of the private key; null if it is not encrypted"),
      }),
      z.strictObject({
        format: z.literal("pkcs12"),
        content: z.base64().min(1).max(MAX_PEM_CHARACTERS).describe("The file, in base64"),
        password: passwordSchema,
      }),
    ])
    .meta({ id: "ClientCertificateInput" }),
)

/** A client certificate as callers send it. */
export type ClientCertificateInput = z.infer<typeof clientCertificateSchema>
