import { idParameter } from "@sealway/http"
import * as z from "zod"

export const networkTokenPathSchema = z.object({
  network_token_id: idParameter("network_token", "Id of the network token"),
})
