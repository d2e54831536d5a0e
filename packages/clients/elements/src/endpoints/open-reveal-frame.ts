import { findAppOfTeam } from "@sealway/accounts"
import { endpoint } from "@sealway/http"
import { NotFoundError } from "@sealway/kernel"
import type { ElementsDependencies } from "../dependencies.ts"
import { framePage } from "../pages/frame-page.ts"
import { revealScript } from "../pages/scripts.ts"
import { framePathSchema } from "./frame-parameters.ts"

export const openRevealFrame = endpoint({
  id: "open-reveal-frame",
  method: "GET",
  path: "/elements/{team_id}/{app_id}/reveal",
  tag: "Card fields",
  summary: "Show a decrypted value in a frame",
  description:
    "The SDK frames this page (`sealway.reveal`). It shows a value that the embedding page cannot read. Only pages with one of the app's `allowedOrigins` can embed it.",
  auth: [],
  reveals: "nothing",
  request: { path: framePathSchema },
  status: 200,
  reply: { kind: "document", formats: ["page"], description: "The page" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config"],
  async answer({ path, serviceOrigin }, { directory }: ElementsDependencies) {
    const app = await findAppOfTeam(directory, path.team_id, path.app_id)
    if (app.status === "disabled") throw new NotFoundError("The app")
    const data = { origins: app.allowedOrigins }
    return framePage({ app, serviceOrigin, script: revealScript, data, connectPath: "/reveal" })
  },
})
