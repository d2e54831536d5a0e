import { createdAtSchema, showTimes, updatedAtSchema } from "@sealway/bins"
import * as z from "zod"
import { findEnrolment } from "../enrolments/enrolled-record.ts"
import { acquirerNetworkSchema } from "../networks/messages/enrolment.ts"
import type { Acquirer } from "./acquirer.ts"

export const acquirerStateSchema = z.enum(["active", "pending", "failed"])

/** An acquirer as the API returns it. */
export const acquirerSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().exactOptional(),
    default: z.boolean().describe("Whether 3-D Secure sessions without an acquirer use this one"),
    configurations: z.array(
      z.object({
        network: acquirerNetworkSchema,
        bin: z.string(),
        acquirerMerchantIdentifier: z.string(),
        country: z.string(),
        state: acquirerStateSchema.describe("`pending` until the network decides, which can take 48 hours"),
      }),
    ),
    createdAt: createdAtSchema,
    updatedAt: updatedAtSchema,
  })
  .meta({ id: "Acquirer" })

/** @param defaultId the id of the app's default acquirer; null for none */
export function showAcquirer(acquirer: Acquirer, defaultId: string | null): z.infer<typeof acquirerSchema> {
  const { id, details } = acquirer
  const { name, description, configurations } = details
  return {
    id,
    name,
    ...(description !== null && { description }),
    default: id === defaultId,
    configurations: configurations.map((each) => ({ ...each, state: stateOf(acquirer, each.network) })),
    ...showTimes(acquirer),
  }
}

function stateOf(acquirer: Acquirer, network: string): z.infer<typeof acquirerStateSchema> {
  const status = findEnrolment(acquirer, network)?.status
  return status === "active" || status === "failed" ? status : "pending"
}
