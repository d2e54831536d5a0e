import type { MerchantDetails } from "../merchants/merchant.ts"

/** A merchant that has asked for no service besides network tokens. */
export const MERCHANT_DETAILS: MerchantDetails = {
  name: "Shop",
  shortName: null,
  website: "https://shop.example.com",
  categoryCode: "5411",
  business: {
    legalName: "Shop Limited",
    address: { line1: "1 Street", city: "Dublin", postalCode: "D01", country: "ie" },
  },
  heldIdentifiers: {},
  domains: [],
  verifi: { isEnabled: false, refundRule: null },
  ethoca: { isEnabled: false },
  retries: { isEnabled: false },
}
