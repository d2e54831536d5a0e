import {
  BIN_GRANTS,
  binFactsSchema,
  bytesToLookUp,
  createdAtSchema,
  MAX_PAYMENT_BYTES,
  sealableSchema,
  showBinFacts,
} from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { reportRefusal } from "@sealway/vault"
import * as z from "zod"
import { openCardData } from "../card-number-of.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { lookUpBin } from "../lookups/look-up-bin.ts"
import { digitsToLookUp } from "../lookups/number-to-look-up.ts"
import { CARD_DATA_GRANTS } from "./card-data.ts"

const NUMBER = "/number"

export const createBinLookup = endpoint({
  id: "create-bin-lookup",
  method: "POST",
  path: "/payments/bin-lookups",
  tag: "Payments",
  summary: "Look up the BIN data of a card number",
  description:
    "Accepts the number of a card or a network token, plain or encrypted, or only its first 6 to 10 digits. The longest known range is used. If the digits match several ranges, only the values that all of them share are returned. If no range is known, `type` is null and `matchPrecision` is 0.",
  auth: [apiKey("binLookup:create")],
  reveals: "card-facts",
  request: {
    body: {
      kind: "object",
      schema: z.strictObject({
        number: sealableSchema.describe(
          "12 to 19 digits that pass the Luhn check, or the first 6 to 10 digits; plain or as a token",
        ),
      }),
      maxBytes: MAX_PAYMENT_BYTES,
    },
  },
  status: 201,
  reply: {
    kind: "object",
    schema: z
      .object({
        id: z.string(),
        ...binFactsSchema.shape,
        matchPrecision: z.int().describe("Number of leading digits matched: 6 to 10, or 0 for no match"),
        createdAt: createdAtSchema,
      })
      .meta({ id: "BinLookup" }),
    description: "The BIN data of the number",
  },
  errors: ["decrypt/forbidden"],
  grants: [...CARD_DATA_GRANTS, ...BIN_GRANTS],
  async answer({ principal, caller, body, task }, dependencies: PaymentDependencies) {
    const { draws, wallClock } = dependencies
    const fields = await openCardData(dependencies, { principal, caller }, new Map([[NUMBER, body.number]]))
    const digits = digitsToLookUp(NUMBER, fields.get(NUMBER)?.text)
    await task.reserve(bytesToLookUp(digits))
    const match = await lookUpBin(dependencies, principal.app, digits)
    const createdAt = wallClock()
    return {
      body: {
        id: draws.newId("bin_lookup", createdAt),
        ...showBinFacts(match?.facts ?? {}),
        matchPrecision: match?.matchPrecision ?? 0,
        createdAt,
      },
    }
  },
  onForbidden: reportRefusal,
})
