import { InvalidRequestError } from "@sealway/kernel"
import { apiKey, endpoint, MAX_SEALED_JSON_BYTES, payloadSchema } from "@sealway/platform"
import * as z from "zod"
import { CLIENT_SIDE_ACTION, issueClientSideToken } from "../bound-tokens/client-side-token.ts"
import type { VaultDependencies } from "../dependencies.ts"

const DEFAULT_LIFETIME_MS = 5 * 60_000
const MAX_LIFETIME_MS = 10 * 60_000

const requestSchema = z.strictObject({
  action: z.literal(CLIENT_SIDE_ACTION).describe("What the token lets its holder do"),
  payload: payloadSchema("The one document that the token lets its holder decrypt"),
  expiry: z
    .int()
    .nullish()
    .describe("Epoch milliseconds, less than 10 minutes from now; 5 minutes from now when absent, null or 0"),
})

const tokenSchema = z
  .object({
    id: z.string(),
    token: z.string().describe("What the frontend sends: `Authorization: Token <token>`"),
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
    "The token is good for `POST /decrypt` of this payload only, compared as canonical JSON (RFC 8785): white space, the order of members and the spelling of numbers do not count. It may be used more than once until it expires, and ends early when the API key that issued it is revoked or its app is disabled. The data policies of the values apply, with the source `client-token` and the frontend's address.",
  auth: [apiKey(CLIENT_SIDE_ACTION)],
  writes: true,
  request: {
    path: z.object({}),
    headers: z.object({}),
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_SEALED_JSON_BYTES },
  },
  status: 201,
  reply: { kind: "object", schema: tokenSchema, description: "The token" },
  errors: [],
  grants: ["dynamodb:Query/config", "kms:Decrypt"],
  async answer({ principal: { app, apiKeyId }, body }, { keyring, draws, wallClock }: VaultDependencies) {
    const createdAt = wallClock()
    // Clients send null or 0 for an omitted expiry.
    const expiry = body.expiry || createdAt + DEFAULT_LIFETIME_MS
    if (expiry <= createdAt || expiry >= createdAt + MAX_LIFETIME_MS) {
      const reason = "The expiry is to be in the future, and less than 10 minutes from now."
      throw new InvalidRequestError(reason, { fields: [{ pointer: "/expiry", reason }] })
    }
    const { payload } = body
    const issued = await issueClientSideToken({ keyring, draws }, app, {
      payload,
      apiKeyId,
      createdAt,
      expiry,
    })
    return { body: { ...issued, expiry, createdAt } }
  },
})
