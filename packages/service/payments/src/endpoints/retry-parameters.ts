import { idParameter } from "@sealway/http"
import * as z from "zod"
import { merchantPathSchema } from "./merchant-parameters.ts"

export const retryEnrolmentPathSchema = merchantPathSchema.extend({
  retry_enrolment_id: idParameter("retry_enrolment", "Id of the enrolment"),
})

export const retryWatchPathSchema = z.object({
  retry_watch_id: idParameter("retry_watch", "Id of the watch"),
})
