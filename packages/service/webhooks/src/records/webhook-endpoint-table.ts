import { type RecordOf, recordsOf } from "@sealway/ports"
import * as z from "zod"

/** A stored secret, readable only with the app's keys. */
const sealedSecretSchema = z.object({
  /** The version of the app's keys that it is sealed with. */
  keyVersion: z.int().positive(),
  sealed: z.instanceof(Uint8Array),
  /** Epoch milliseconds from which it no longer signs; null for the current one. */
  expiresAt: z.number().nullable(),
})

/** A customer's URL that receives events. */
const endpointSchema = z.object({
  id: z.string(),
  appId: z.string(),
  url: z.string(),
  /** See `takesEvent`. */
  events: z.array(z.string()),
  description: z.string().nullable(),
  /** A disabled endpoint receives no events. */
  status: z.enum(["enabled", "disabled"]),
  /** Newest first. */
  secrets: z.array(sealedSecretSchema),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** Epoch milliseconds. */
  updatedAt: z.number(),
  revision: z.number(),
})

export type SealedSecret = RecordOf<typeof sealedSecretSchema>
export type WebhookEndpoint = RecordOf<typeof endpointSchema>

export const endpointRecords = recordsOf<WebhookEndpoint, "id">({
  prefix: "webhook-endpoint#",
  schema: endpointSchema,
  nameOf: ({ id }) => id,
})

/** Returns the secrets that sign at a moment, newest first. @param atMs epoch milliseconds */
export function secretsInForce({ secrets }: WebhookEndpoint, atMs: number): readonly SealedSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > atMs)
}
