const CREATED_BEFORE_MS = 60_000

/** A made-up merchant, as the API answers one. @param nowMs epoch milliseconds */
export function sampleMerchant(id: string, nowMs: number): object {
  const enrolment = (cardBrand: string, tokenRequestorIdentifier: string) => ({
    ...{ cardBrand, tokenRequestorIdentifier },
    status: "active",
  })
  return {
    id,
    name: "Example Shop",
    website: "https://shop.example.com",
    categoryCode: "5411",
    business: {
      legalName: "Example Shop Limited",
      address: { line1: "1 Example Street", city: "Dublin", postalCode: "D01", country: "ie" },
    },
    networkTokens: {
      enrolment: [
        enrolment("visa", "10000000001"),
        enrolment("mastercard", "10000000002"),
        enrolment("american-express", "10000000003"),
      ],
    },
    applePay: { domains: [{ domain: "shop.example.com", status: "active" }] },
    preChargebackAlerts: {
      verifi: { enabled: false, refundRule: null, status: "inactive" },
      ethoca: { enabled: false, status: "inactive" },
    },
    intelligentRetries: { enabled: false, status: "inactive" },
    createdAt: nowMs - CREATED_BEFORE_MS,
    updatedAt: nowMs,
  }
}

/** A made-up acquirer, as the API answers one. @param nowMs epoch milliseconds */
export function sampleAcquirer(id: string, nowMs: number): object {
  return {
    id,
    name: "Example Bank",
    default: true,
    configurations: [
      {
        ...{ network: "visa", bin: "400000", acquirerMerchantIdentifier: "123456", country: "ie" },
        state: "active",
      },
    ],
    createdAt: nowMs - CREATED_BEFORE_MS,
    updatedAt: nowMs,
  }
}
