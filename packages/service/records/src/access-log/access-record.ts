import { actorSchema } from "@sealway/accounts"
import { isId } from "@sealway/kernel"
import * as z from "zod"

/** The ways in which values are decrypted. Policies use the same names. */
export const ACCESS_SOURCES = ["api", "client-token", "relay", "function", "enclave"] as const

const MAX_TEXT = 200
const countSchema = z.int().positive()

/** The enclave that received values, by what its attestation says. */
const enclaveSchema = z.lazy(() =>
  z.object({
    moduleId: z.string().max(MAX_TEXT).describe("The enclave, as AWS names it"),
    pcr0: z.string().max(MAX_TEXT).describe("The image that runs in it: SHA-384, hexadecimal"),
    registrationId: z
      .string()
      .max(MAX_TEXT)
      .nullable()
      .describe("The app's registration of this image; null when there is none"),
  }),
)

/** Which of the values were masked. */
const maskedSchema = z.lazy(() =>
  z.object({
    roles: z.record(z.string(), countSchema).describe("Number of masked values per data role, by slug"),
    withoutRole: z.int().nonnegative().describe("Number of masked values without a data role"),
    total: countSchema.describe("Total number of masked values"),
  }),
)

/** One successful decryption: who, when, from where, and how many values. Never a value, a path or a token. */
export const accessRecordSchema = z.lazy(() =>
  z
    .object({
      id: z.string().refine((text) => isId("access", text), "Not the id of an access record"),
      at: z.int().nonnegative().describe("Epoch milliseconds"),
      teamId: z.string().max(MAX_TEXT),
      appId: z.string().max(MAX_TEXT),
      source: z.enum(ACCESS_SOURCES).describe("What decrypted the values"),
      actor: actorSchema.describe(
        "The key or token that requested the values. `system` with the relay's id for a relay request without an API key",
      ),
      apiKeyId: z
        .string()
        .max(MAX_TEXT)
        .nullable()
        .describe("The API key that made the request, or that issued the token; null when there is none"),
      relayId: z.string().max(MAX_TEXT).nullable().describe("The relay that the request went through"),
      functionName: z.string().max(MAX_TEXT).nullable().describe("The function that received the values"),
      enclave: enclaveSchema.nullable().describe("The enclave that received the values"),
      ip: z.string().max(MAX_TEXT).nullable().describe("The client's address"),
      requestId: z.string().max(MAX_TEXT).nullable(),
      roles: z
        .record(z.string(), countSchema)
        .describe("Number of values per data role, by slug, full and masked"),
      withoutRole: z
        .int()
        .nonnegative()
        .describe("Number of values without a data role; a file counts as one"),
      total: countSchema.describe("Total number of values, full and masked"),
      reason: z
        .string()
        .max(MAX_TEXT)
        .nullable()
        .describe("Why, as the request said in `X-Service-Reason`; null when it said nothing"),
      masked: maskedSchema
        .nullable()
        .describe("The values of which the receiver got a mask; null when all were full"),
    })
    .meta({ id: "AccessRecord" }),
)

export type AccessRecord = z.infer<typeof accessRecordSchema>
