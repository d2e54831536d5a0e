import { apiKey, documentSchema, endpoint, MAX_SEALED_JSON_BYTES } from "@sealway/http"
import { invalidField } from "@sealway/kernel"
import * as z from "zod"
import { CLIENT_SIDE_ACTION, issueClientSideToken } from "../bound-tokens/client-side-token.ts"
import {
  issueRevealToken,
  REVEAL_ACTION,
  requireRevealKey,
  revealKeySchema,
} from "../bound-tokens/reveal-token.ts"
import type { VaultDependencies } from "../dependencies.ts"

const DEFAULT_LIFETIME_MS = 5 * 60_000
const MAX_LIFETIME_MS = 10 * 60_000

const requestSchema = z.strictObject({
  action: z
    .enum([CLIENT_SIDE_ACTION, REVEAL_ACTION])
    .describe(
      "What the token allows: `api:decrypt` to receive the decrypted document, `api:reveal` to show it in the frame that has the key",
    ),
  key: revealKeySchema
    .exactOptional()
    .describe("For `api:reveal`: the public key of the frame, an uncompressed point of P-256 in base64url"),
  payload: documentSchema("The document that the token may decrypt, of any shape that `POST /decrypt` takes"),
  expiry: z
    .int()
    .nullish()
    .describe(
      "Epoch milliseconds, less than 10 minutes from now. Default: 5 minutes from now, also for null and 0",
    ),
})

const tokenSchema = z
  .object({
    id: z.string(),
    token: z.string().describe("The frontend sends it as `Authorization: Token <token>`"),
    expiry: z.int().describe("Epoch milliseconds"),
    createdAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "ClientSideToken" })

export const createClientSideToken = endpoint({
  id: "create-client-side-token",
  method: "POST",
  path: "/client-side-tokens",
  tag: "Client Tokens",
  summary: "Issue a token that lets a frontend decrypt one document",
  description:
    "The token is valid for `POST /decrypt` (`api:decrypt`) or `POST /reveal` (`api:reveal`) with this payload only. Payloads are compared as canonical JSON (RFC 8785), so white space, field order and number formats do not matter. The token can be used repeatedly until it expires. It stops working earlier if the API key that issued it is revoked or the app is disabled. The values' data policies apply, with the source `client-token` and the frontend's IP address.",
  auth: [apiKey(CLIENT_SIDE_ACTION)],
  reveals: "credentials",
  writes: true,
  request: { body: { kind: "object", schema: requestSchema, maxBytes: MAX_SEALED_JSON_BYTES } },
  status: 201,
  reply: { kind: "object", schema: tokenSchema, description: "The token" },
  errors: [],
  grants: ["dynamodb:Query/keys", "kms:Decrypt/secret"],
  async answer(
    { principal: { app, apiKeyId }, body, task },
    { keyring, draws, wallClock }: VaultDependencies,
  ) {
    const createdAt = wallClock()
    // Clients send null or 0 for an omitted expiry.
    const expiry = body.expiry || createdAt + DEFAULT_LIFETIME_MS
    if (expiry <= createdAt || expiry >= createdAt + MAX_LIFETIME_MS) {
      throw invalidField("/expiry", "The expiry must be in the future, and less than 10 minutes from now.")
    }
    const { payload } = body
    const wanted = { turns: task, payload, apiKeyId, createdAt, expiry }
    const isReveal = body.action === REVEAL_ACTION
    if (isReveal !== (body.key !== undefined)) {
      const reason = isReveal
        ? "A token for a frame needs the frame's key."
        : "Only tokens for a frame have a key."
      throw invalidField("/key", reason)
    }
    if (body.key === undefined) {
      return { body: { ...(await issueClientSideToken({ keyring, draws }, app, wanted)), expiry, createdAt } }
    }
    await requireRevealKey(body.key)
    const issued = await issueRevealToken({ keyring, draws }, app, body.key, wanted)
    return { body: { ...issued, expiry, createdAt } }
  },
})
