import * as z from "zod"

export const runTokenSchema = z
  .object({
    id: z.string(),
    token: z.string().describe("The frontend sends it as `Authorization: RunToken <token>`"),
    expiry: z.int().describe("Epoch milliseconds"),
    createdAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "RunToken" })
