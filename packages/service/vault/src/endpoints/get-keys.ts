import { apiKey, endpoint } from "@sealway/http"
import type { VaultDependencies } from "../dependencies.ts"
import { publicKeysHeaders, publicKeysReply, publicKeysSchema } from "./public-keys.ts"

export const getKeys = endpoint({
  id: "get-keys",
  method: "GET",
  path: "/keys",
  aliases: ["/cages/key"],
  tag: "Keys",
  summary: "Get the public keys of the API key's app",
  description: "Clients that encrypt locally seal new values to these keys.",
  auth: [apiKey()],
  reveals: "nothing",
  status: 200,
  reply: { kind: "object", schema: publicKeysSchema, description: "The app's public keys" },
  replyHeaders: publicKeysHeaders,
  errors: [],
  grants: ["dynamodb:Query/keys", "kms:Decrypt/public"],
  answer: async ({ principal: { app } }, { keyring }: VaultDependencies) =>
    publicKeysReply(app, await keyring.newest(app, "public"), "private"),
})
