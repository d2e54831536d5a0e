import { idParameter } from "@sealway/http"
import * as z from "zod"

export const framePathSchema = z.object({
  team_id: idParameter("team", "Id of the team"),
  app_id: idParameter("app", "Id of the app"),
})
