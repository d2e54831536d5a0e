import { idParameter } from "@sealway/http"
import * as z from "zod"

export const subscriptionPathSchema = z.object({
  subscription_id: idParameter("card_subscription", "Id of the subscription"),
})
