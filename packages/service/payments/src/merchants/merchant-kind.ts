import type { EnrolledKind } from "../enrolments/enrolled-kind.ts"
import { referenceOf } from "../enrolments/enrolled-record.ts"
import { createEnrolledTable } from "../enrolments/enrolled-table.ts"
import { standingOfEnrolments } from "../enrolments/tell-change.ts"
import type { NetworkMerchant } from "../networks/messages/enrolment.ts"
import {
  isListed,
  type Merchant,
  type MerchantDetails,
  merchantDetailsSchema,
  purposeOf,
  type TokenBrand,
  VERIFI,
} from "./merchant.ts"
import { showMerchant } from "./show-merchant.ts"

/** How merchants are stored, enrolled and published. */
export const MERCHANTS: EnrolledKind<MerchantDetails> = {
  type: "merchant",
  idPrefix: "merchant",
  title: "The merchant",
  table: createEnrolledTable("merchant", merchantDetailsSchema),
  eventType: "payments.merchant.updated",
  isListed,
  standing: standingOfEnrolments,
  show: async (merchant) => showMerchant(merchant),

  async enrol(network, merchant, enrolment) {
    const asked = {
      reference: referenceOf(merchant, enrolment),
      requestedAt: enrolment.requestedAt,
      merchant: networkMerchantOf(merchant),
    }
    const purpose = purposeOf(enrolment.name)
    if ("domain" in purpose) return network.registerDomain({ ...asked, domain: purpose.domain })
    const { service } = purpose
    const held = merchant.details.heldIdentifiers[brandOf(service) ?? "visa"]
    return network.enrolMerchant({
      ...asked,
      service,
      ...(brandOf(service) !== null && held !== undefined && { tokenRequestorIdentifier: held }),
      ...(service === VERIFI && { refundRule: merchant.details.verifi.refundRule }),
    })
  },

  withdraw(network, merchant, enrolment) {
    const asked = { reference: referenceOf(merchant, enrolment), merchant: { id: merchant.id } }
    const purpose = purposeOf(enrolment.name)
    return "domain" in purpose
      ? network.withdrawDomain({ ...asked, domain: purpose.domain })
      : network.withdrawMerchant({ ...asked, service: purpose.service })
  },
}

/** Returns null for a service other than network tokens. */
function brandOf(service: string): TokenBrand | null {
  switch (service) {
    case "network-tokens/visa":
      return "visa"
    case "network-tokens/mastercard":
      return "mastercard"
    case "network-tokens/american-express":
      return "american-express"
    default:
      return null
  }
}

function networkMerchantOf({ id, details }: Merchant): NetworkMerchant {
  const { name, shortName, website, categoryCode, business } = details
  return { id, name, ...(shortName !== null && { shortName }), website, categoryCode, business }
}
