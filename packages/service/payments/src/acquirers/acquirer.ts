import * as z from "zod"
import {
  type EnrolledRecord,
  findEnrolment,
  newRecord,
  requestEnrolment,
  withdrawEnrolment,
} from "../enrolments/enrolled-record.ts"
import { acquirerNetworkSchema } from "../networks/messages/enrolment.ts"

const configurationSchema = z.object({
  network: acquirerNetworkSchema,
  bin: z.string(),
  acquirerMerchantIdentifier: z.string(),
  country: z.string(),
})

/** The stored details of an acquirer, as given by the app. */
export const acquirerDetailsSchema = z.object({
  name: z.string(),
  description: z.string().nullable(),
  configurations: z.array(configurationSchema),
})

export type AcquirerConfiguration = z.infer<typeof configurationSchema>
export type AcquirerDetails = z.infer<typeof acquirerDetailsSchema>
export type Acquirer = EnrolledRecord<AcquirerDetails>

/** Creates an acquirer, enrolled with the network of each configuration. @param nowMs epoch milliseconds */
export function newAcquirer(id: string, appId: string, details: AcquirerDetails, nowMs: number): Acquirer {
  const acquirer: Acquirer = newRecord(id, appId, { ...details, configurations: [] }, nowMs)
  return withAcquirerDetails(acquirer, details, nowMs)
}

/**
 * Changes the details of an acquirer: enrols what is new, was changed or has failed, and withdraws what was removed.
 */
export function withAcquirerDetails(acquirer: Acquirer, details: AcquirerDetails, nowMs: number): Acquirer {
  const before = new Map(acquirer.details.configurations.map((each) => [each.network, each]))
  const after = new Map(details.configurations.map((each) => [each.network, each]))
  let next: Acquirer = { ...acquirer, details }
  for (const network of before.keys()) {
    if (!after.has(network)) next = withdrawEnrolment(next, network, nowMs)
  }
  for (const [network, configuration] of after) {
    const isSame = isSameConfiguration(before.get(network), configuration)
    if (!isSame || findEnrolment(next, network)?.status === "failed") {
      next = requestEnrolment(next, network, nowMs)
    }
  }
  return next
}

function isSameConfiguration(left: AcquirerConfiguration | undefined, right: AcquirerConfiguration): boolean {
  return (
    left?.bin === right.bin &&
    left.acquirerMerchantIdentifier === right.acquirerMerchantIdentifier &&
    left.country === right.country
  )
}
