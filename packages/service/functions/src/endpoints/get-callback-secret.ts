import { apiKey, endpoint } from "@sealway/http"
import { callbackSecret } from "@sealway/keys"
import * as z from "zod"
import type { FunctionDependencies } from "../dependencies.ts"

const secretSchema = z
  .object({ secret: z.string().describe("`whsec_…`, as Standard Webhooks writes it") })
  .meta({ id: "CallbackSecret" })

export const getCallbackSecret = endpoint({
  id: "get-callback-secret",
  method: "GET",
  path: "/callback-secret",
  tag: "Functions",
  summary: "Get the secret that signs callbacks",
  description:
    "Signs the callbacks to the `callbackUrl` of the app's functions, by the Standard Webhooks scheme. The secret changes when the app's keys are rotated; callbacks carry signatures by the five newest key versions.",
  auth: [apiKey("callbackSecret:read")],
  reveals: "secrets",
  status: 200,
  reply: { kind: "object", schema: secretSchema, description: "The secret" },
  errors: [],
  grants: ["dynamodb:Query/keys", "kms:Decrypt/secret"],
  async answer({ principal: { app } }, { keyring }: FunctionDependencies) {
    return { body: { secret: callbackSecret(await keyring.newest(app, "secret")) } }
  },
})
