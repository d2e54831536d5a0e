import { findAppOfTeam } from "@sealway/accounts"
import { endpoint } from "@sealway/http"
import { NotFoundError } from "@sealway/kernel"
import { uncompressPublicKey } from "@sealway/tokens"
import type { ElementsDependencies } from "../dependencies.ts"
import { framePage } from "../pages/frame-page.ts"
import { fieldScript } from "../pages/scripts.ts"
import { framePathSchema } from "./frame-parameters.ts"

export const openFieldFrame = endpoint({
  id: "open-field-frame",
  method: "GET",
  path: "/elements/{team_id}/{app_id}/fields",
  tag: "Card fields",
  summary: "Show fields for a card or a secret in a frame",
  description:
    "The SDK frames this page (`sealway.fields`). What a person types is encrypted in the frame, with the app's public key; the embedding page receives tokens. Only pages with one of the app's `allowedOrigins` can embed it.",
  auth: [],
  reveals: "nothing",
  request: { path: framePathSchema },
  status: 200,
  reply: { kind: "document", formats: ["page"], description: "The page" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/keys", "kms:Decrypt/public"],
  async answer({ path, serviceOrigin }, { directory, keyring }: ElementsDependencies) {
    const app = await findAppOfTeam(directory, path.team_id, path.app_id)
    if (app.status === "disabled") throw new NotFoundError("The app")
    const { publicKeys } = await keyring.newest(app, "public")
    const publicKey = uncompressPublicKey("prime256v1", publicKeys.prime256v1).toString("base64")
    const data = { origins: app.allowedOrigins, publicKey, isSandbox: app.environment === "sandbox" }
    return framePage({ app, serviceOrigin, script: fieldScript, data })
  },
})
