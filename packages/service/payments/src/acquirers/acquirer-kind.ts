import type { EnrolledKind } from "../enrolments/enrolled-kind.ts"
import { referenceOf } from "../enrolments/enrolled-record.ts"
import { createEnrolledTable } from "../enrolments/enrolled-table.ts"
import { standingOfEnrolments } from "../enrolments/tell-change.ts"
import { acquirerNetworkSchema } from "../networks/messages/enrolment.ts"
import { type AcquirerDetails, acquirerDetailsSchema } from "./acquirer.ts"
import { findDefaultAcquirer } from "./default-acquirer.ts"
import { showAcquirer } from "./show-acquirer.ts"

/** How acquirers are stored, enrolled and published. */
export const ACQUIRERS: EnrolledKind<AcquirerDetails> = {
  type: "acquirer",
  idPrefix: "acquirer",
  title: "The acquirer",
  table: createEnrolledTable("acquirer", acquirerDetailsSchema),
  eventType: "payments.acquirer.updated",
  standing: standingOfEnrolments,
  isListed: ({ configurations }, name) => configurations.some(({ network }) => network === name),
  show: async (acquirer, { paymentsTable }) =>
    showAcquirer(acquirer, await findDefaultAcquirer(paymentsTable, { id: acquirer.appId })),

  async enrol(network, acquirer, enrolment) {
    const configuration = acquirer.details.configurations.find((each) => each.network === enrolment.name)
    if (configuration === undefined) throw new Error("An acquirer has an enrolment without a configuration")
    return network.enrolAcquirer({
      reference: referenceOf(acquirer, enrolment),
      requestedAt: enrolment.requestedAt,
      acquirer: { id: acquirer.id, name: acquirer.details.name },
      configuration,
    })
  },

  withdraw: (network, acquirer, enrolment) =>
    network.withdrawAcquirer({
      reference: referenceOf(acquirer, enrolment),
      acquirer: { id: acquirer.id },
      network: acquirerNetworkSchema.parse(enrolment.name),
    }),
}
