import { idParameter } from "@sealway/http"
import * as z from "zod"

export const merchantPathSchema = z.object({ merchant_id: idParameter("merchant", "Id of the merchant") })
