import { idParameter } from "@sealway/http"
import * as z from "zod"

export const acquirerPathSchema = z.object({ acquirer_id: idParameter("acquirer", "Id of the acquirer") })

export const cardPathSchema = z.object({ card_id: idParameter("card", "Id of the card") })

export const subscriptionPathSchema = z.object({
  subscription_id: idParameter("card_subscription", "Id of the subscription"),
})

export const merchantPathSchema = z.object({ merchant_id: idParameter("merchant", "Id of the merchant") })

export const networkTokenPathSchema = z.object({
  network_token_id: idParameter("network_token", "Id of the network token"),
})

export const alertPathSchema = z.object({
  pre_chargeback_alert_id: idParameter("chargeback_alert", "Id of the alert"),
})

export const retryEnrolmentPathSchema = merchantPathSchema.extend({
  retry_enrolment_id: idParameter("retry_enrolment", "Id of the enrolment"),
})

export const retryWatchPathSchema = z.object({
  retry_watch_id: idParameter("retry_watch", "Id of the watch"),
})
