import { idParameter } from "@sealway/http"
import * as z from "zod"

export const alertPathSchema = z.object({
  pre_chargeback_alert_id: idParameter("chargeback_alert", "Id of the alert"),
})
