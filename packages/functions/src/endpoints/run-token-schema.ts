import * as z from "zod"

/** As large as a request of a run. */
export const MAX_TOKEN_BODY_BYTES = 5 * 1024 * 1024

export const runTokenSchema = z
  .object({
    id: z.string(),
    token: z.string().describe("What the frontend sends: `Authorization: RunToken <token>`"),
    expiry: z.int().describe("Epoch milliseconds"),
    createdAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "RunToken" })
