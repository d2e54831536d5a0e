import { type ApiKeyRecord, type ApiKeyUses, SCOPES } from "@sealway/accounts"
import type { RecordPage } from "@sealway/ports"
import * as z from "zod"
import type { IssuedApiKey } from "../accounts/api-keys.ts"
import { limitsSchema, showKeyLimits } from "./limits-schema.ts"
import { nameSchema } from "./parameters.ts"

/** The longest time for which both keys are valid after a rotation. */
const MAX_OVERLAP_SECONDS = 7 * 24 * 60 * 60

export const scopesSchema = z
  .array(z.enum(["*", ...SCOPES]).meta({ id: "ApiKeyScope" }))
  .max(SCOPES.length + 1)
  .refine((scopes) => new Set(scopes).size === scopes.length, "A scope is listed twice")
  .describe("The key's scopes; `*` for all of an app's scopes, including those of later releases")

export const expiresAtSchema = z.int().positive().nullable().describe("Epoch milliseconds; null for never")

export const overlapSchema = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(0)
    .describe("How long the old key keeps working beside the new one, up to 7 days. Default: 0"),
})

const keyFields = {
  id: z.string(),
  name: nameSchema,
  scopes: z.array(z.string()),
  limits: limitsSchema,
  createdAt: z.int().describe("Epoch milliseconds"),
  expiresAt: expiresAtSchema,
  revokedAt: z.int().nullable().describe("Epoch milliseconds; null unless revoked"),
}

/** A key in a list, without the key itself. */
export const listedKeySchema = z
  .object({
    ...keyFields,
    lastUsedAt: z.int().nullable().describe("Epoch milliseconds, to the hour; null for never"),
  })
  .meta({ id: "ApiKey" })

/** A key at its issue. */
export const issuedKeySchema = z
  .object({ ...keyFields, key: z.string().describe("The key. It is shown only once: store it now") })
  .meta({ id: "IssuedApiKey" })

export function showIssued({ record, key }: IssuedApiKey) {
  return { ...show(record), key }
}

export async function showKey(record: ApiKeyRecord, uses: ApiKeyUses) {
  return { ...show(record), lastUsedAt: await uses.lastUsedAt(record) }
}

export async function showListed({ data, hasMore }: RecordPage<ApiKeyRecord>, uses: ApiKeyUses) {
  return { data: await Promise.all(data.map((record) => showKey(record, uses))), hasMore }
}

function show({ id, name, scopes, limits, createdAt, expiresAt, revokedAt }: ApiKeyRecord) {
  return { id, name, scopes: [...scopes], limits: showKeyLimits(limits), createdAt, expiresAt, revokedAt }
}
