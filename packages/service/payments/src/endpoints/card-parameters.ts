import { idParameter } from "@sealway/http"
import * as z from "zod"

export const cardPathSchema = z.object({ card_id: idParameter("card", "Id of the card") })
