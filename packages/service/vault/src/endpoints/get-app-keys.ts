import { findAppOfTeam } from "@sealway/accounts"
import { endpoint, idParameter } from "@sealway/http"
import * as z from "zod"
import type { VaultDependencies } from "../dependencies.ts"
import { publicKeysHeaders, publicKeysReply, publicKeysSchema } from "./public-keys.ts"

export const getAppKeys = endpoint({
  id: "get-app-keys",
  method: "GET",
  path: "/{team_id}/apps/{app_id}",
  tag: "Keys",
  summary: "Get the public keys of an app",
  description: "Like `GET /keys`, for callers without an API key, such as browsers.",
  auth: [],
  reveals: "nothing",
  request: {
    path: z.object({
      team_id: idParameter("team", "Id of the team"),
      app_id: idParameter("app", "Id of the app"),
    }),
  },
  status: 200,
  reply: { kind: "object", schema: publicKeysSchema, description: "The app's public keys" },
  replyHeaders: publicKeysHeaders,
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/keys", "kms:Decrypt/public"],
  async answer({ path }, { directory, keyring }: VaultDependencies) {
    const app = await findAppOfTeam(directory, path.team_id, path.app_id)
    return publicKeysReply(app, await keyring.newest(app, "public"), "public")
  },
})
