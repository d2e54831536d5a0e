import type { Scope } from "@sealway/accounts"
import { apiKey, endpoint, MAX_SEALED_JSON_BYTES, timedKeyring } from "@sealway/http"
import { AUDIT_GRANTS, OPENING_GRANTS } from "@sealway/ports"
import { InvalidTokenError, type OpenedValue, parseToken } from "@sealway/tokens"
import * as z from "zod"
import type { FingerprintDependencies } from "../dependencies.ts"
import { honeyForbidden } from "../documents/decryption-forbidden-error.ts"
import { unopenedValue } from "../documents/unopened-value.ts"
import { cardDigitsOf, fingerprintKey, fingerprintValue } from "../values/fingerprint.ts"
import type { HoneyValue } from "../values/honey-value.ts"
import { createTokenOpener, type TokenOpener } from "../values/token-opener.ts"
import { reportForbiddenValue } from "./report-refusal.ts"

const requestSchema = z.strictObject({ token: z.string().describe("An encrypted value") })

const fingerprintSchema = z
  .object({
    type: z.enum(["integer", "float", "boolean", "string"]),
    category: z.enum(["card-number"]).optional().describe("Present when the value is a card number"),
    encryptedAt: z.int().optional().describe("Epoch milliseconds. Only for values with a data role"),
    role: z.string().optional().describe("Slug of the data role"),
    fingerprint: z
      .string()
      .describe(
        "Stable: within one app, the same value always has the same fingerprint, whatever its role, encryption time or token version",
      ),
    metadata: z
      .object({
        brand: z.string(),
        bin: z.string().describe("The first six digits"),
        lastFour: z.string(),
        funding: z.string().optional(),
        segment: z.string().optional(),
        country: z.string().optional(),
        currency: z.string().optional(),
        issuer: z.string().optional(),
      })
      .optional()
      .describe("Present for a card number, with the fields that the team's BIN table has"),
  })
  .meta({ id: "Fingerprint" })

function declare(id: string, path: string, scope: Scope, summary: string) {
  return endpoint({
    id,
    method: "POST",
    path,
    tag: "Core",
    summary,
    description:
      "Returns the type and role of an encrypted value, a stable fingerprint to compare it by and, for a card number, its card metadata. The value itself is not revealed, and no permission to decrypt is needed. Honey tokens are refused.",
    auth: [apiKey(scope)],
    reveals: "equality",
    request: { body: { kind: "object", schema: requestSchema, maxBytes: MAX_SEALED_JSON_BYTES } },
    status: 200,
    reply: { kind: "object", schema: fingerprintSchema, description: "The value's fingerprint and metadata" },
    errors: ["decrypt/forbidden", "data-subject/erased"],
    grants: [
      ...OPENING_GRANTS,
      ...AUDIT_GRANTS,
      ...(["dynamodb:GetItem/payments", "dynamodb:Query/payments"] as const),
    ],
    async answer(
      { principal: { app }, body: { token }, timing, allowance, task },
      { cardRanges, ...given }: FingerprintDependencies,
    ) {
      allowance.takeValues(1)
      const keyring = timedKeyring(given.keyring, timing)
      const opened = await timing.measure("crypto", () => open(token, createTokenOpener(keyring, app, task)))
      const number = cardDigitsOf(opened)
      const range = number === null ? null : await cardRanges.find(app, number)
      return { body: fingerprintValue(opened, await fingerprintKey(keyring, app), range ?? {}) }
    },
    onForbidden: reportForbiddenValue,
  })
}

export const fingerprint = declare(
  "fingerprint",
  "/fingerprint",
  "api:fingerprint",
  "Fingerprint an encrypted value",
)

export const inspect = declare(
  "inspect",
  "/inspect",
  "api:inspect",
  "Inspect an encrypted value (alias of `/fingerprint`)",
)

const POINTER = "/token"

async function open(text: string, opener: TokenOpener): Promise<OpenedValue> {
  const opened = await openGiven(text, opener)
  if (opened.value !== null) return opened
  throw honeyForbidden(POINTER, opened)
}

async function openGiven(text: string, opener: TokenOpener): Promise<OpenedValue | HoneyValue> {
  let cause: unknown
  try {
    const token = parseToken(text)
    if (token !== null) return await opener.openToken(token)
  } catch (error) {
    if (!(error instanceof InvalidTokenError)) throw error
    cause = error
  }
  throw unopenedValue(POINTER, cause)
}
