import { idParameter } from "@sealway/http"
import * as z from "zod"

export const acquirerPathSchema = z.object({ acquirer_id: idParameter("acquirer", "Id of the acquirer") })
