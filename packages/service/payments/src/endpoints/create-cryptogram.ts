import { createdAtSchema } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { issueCryptogram } from "../network-tokens/manage-network-tokens.ts"
import { ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"
import { networkTokenPathSchema } from "./parameters.ts"

export const createCryptogram = endpoint({
  id: "create-cryptogram",
  method: "POST",
  path: "/payments/network-tokens/{network_token_id}/cryptograms",
  tag: "Network Tokens",
  summary: "Get a cryptogram for one payment",
  description:
    "The cryptogram is valid for one payment, is returned once and is never stored. A request that is retried with its `Idempotency-Key` therefore returns 409 `idempotency-result-unknown`: request another cryptogram with another key.",
  auth: [apiKey("networkToken:createCryptogram")],
  reveals: "credentials",
  writes: "once",
  unkept: "all",
  request: { path: networkTokenPathSchema },
  status: 201,
  reply: {
    kind: "object",
    schema: z
      .object({
        id: z.string(),
        cryptogram: z.string().describe("Base64"),
        eci: z.string().optional().describe("Electronic commerce indicator, two digits"),
        createdAt: createdAtSchema,
      })
      .meta({ id: "Cryptogram" }),
    description: "The cryptogram",
  },
  errors: ["not-found", "payments/network-tokens/token-not-active"],
  grants: ENROLLED_READ_GRANTS,
  async answer({ principal: { app }, path }, dependencies: PaymentDependencies, effect) {
    return { body: { ...(await issueCryptogram(dependencies, app, path.network_token_id, effect)) } }
  },
})
