import * as z from "zod"
import { panSchema } from "./card-values.ts"

export const parRequestSchema = z.strictObject({ number: panSchema })

export const parAnswerSchema = z.strictObject({
  paymentAccountReference: z
    .string()
    .regex(/^[0-9A-Z]{29}$/, "29 upper-case letters and digits")
    .nullable()
    .describe("The same for a card, its replacements and its network tokens. Null when the network has none"),
})

export type ParRequest = z.infer<typeof parRequestSchema>
export type ParAnswer = z.infer<typeof parAnswerSchema>
