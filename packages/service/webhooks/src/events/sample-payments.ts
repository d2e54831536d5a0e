const CREATED_BEFORE_MS = 60_000

/** Returns a sample merchant, as the API returns one. @param nowMs epoch milliseconds */
export function sampleMerchant(id: string, nowMs: number): object {
  const enrolment = (cardBrand: string, tokenRequestorIdentifier: string) => ({
    cardBrand,
    tokenRequestorIdentifier,
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

/** Returns a sample acquirer, as the API returns one. @param nowMs epoch milliseconds */
export function sampleAcquirer(id: string, nowMs: number): object {
  return {
    id,
    name: "Example Bank",
    default: true,
    configurations: [
      {
        network: "visa",
        bin: "400000",
        acquirerMerchantIdentifier: "123456",
        country: "ie",
        state: "active",
      },
    ],
    createdAt: nowMs - CREATED_BEFORE_MS,
    updatedAt: nowMs,
  }
}

const EXAMPLE_TRANSACTION = "00000000-0000-4000-8000-000000000001"

/** Returns a sample 3-D Secure session that has ended, as the API returns one. @param nowMs epoch milliseconds */
export function sampleThreeDSSession(id: string, status: "success" | "failure", nowMs: number): object {
  const detail = (value: string, text: string) => ({ value, detail: text })
  const isSuccess = status === "success"
  return {
    id,
    merchant: {
      name: "Example Shop",
      website: "https://shop.example.com",
      categoryCode: "5411",
      country: "ie",
    },
    card: {
      lastFour: "3030",
      expiry: { month: "09", year: "39" },
      brand: "visa",
      funding: "credit",
      segment: "consumer",
      country: "us",
      currency: "usd",
      issuer: "Test Bank",
    },
    acquirer: { bin: "400000", merchantIdentifier: "123456", country: "ie" },
    payment: { type: "one-off", amount: 1_000, currency: "eur" },
    challenge: { preference: "no-preference" },
    initiator: { type: "customer" },
    version: "2.2.0",
    status,
    ...(isSuccess && {
      authentication: { flow: "frictionless" },
      cryptogram: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
      eci: { value: "05", descriptor: "fully-authenticated", liabilityShift: true },
    }),
    threeDSServer: { transactionIdentifier: EXAMPLE_TRANSACTION },
    accessControlServer: {
      transactionIdentifier: EXAMPLE_TRANSACTION,
      referenceNumber: "EXAMPLE_ACS",
      operatorIdentifier: "EXAMPLE",
    },
    directoryServer: {
      transactionIdentifier: EXAMPLE_TRANSACTION,
      referenceNumber: "EXAMPLE_DS",
      network: "visa",
    },
    ares: {
      transStatus: isSuccess
        ? detail("Y", "The cardholder was authenticated.")
        : detail("N", "The cardholder was not authenticated; the transaction is denied."),
      transStatusReason: isSuccess ? null : detail("01", "The card authentication failed."),
      cardholderInfo: null,
    },
    cres: null,
    rreq: null,
    ...(!isSuccess && { failureReason: "failed-authentication" }),
    createdAt: nowMs - CREATED_BEFORE_MS,
    updatedAt: nowMs,
  }
}

/** Not a token of any app: the things it names do not exist. */
const EXAMPLE_TOKEN = "ev:example"

/** Returns a sample card that was replaced, as the API returns one. @param nowMs epoch milliseconds */
export function sampleCard(id: string, replacement: string, nowMs: number): object {
  return {
    id,
    number: EXAMPLE_TOKEN,
    expiry: { month: "09", year: "39" },
    bin: "40000000",
    lastFour: "0002",
    brand: "visa",
    funding: "credit",
    segment: "consumer",
    country: "us",
    currency: "usd",
    issuer: "Test Bank",
    status: "replaced",
    replacement,
    automaticUpdates: "disabled",
    createdAt: nowMs - CREATED_BEFORE_MS,
    updatedAt: nowMs,
  }
}

/** Returns a sample network token, as the API returns one. @param nowMs epoch milliseconds */
export function sampleNetworkToken(id: string, merchant: string, nowMs: number): object {
  const facts = {
    brand: "visa",
    funding: "credit",
    segment: "consumer",
    country: "us",
    currency: "usd",
    issuer: "Test Bank",
  }
  return {
    id,
    merchant,
    number: EXAMPLE_TOKEN,
    expiry: { month: "09", year: "39" },
    card: { lastFour: "0002", expiry: { month: "09", year: "39" }, ...facts },
    tokenRequestorIdentifier: "10000000001",
    paymentAccountReference: "SBOX0000000000000000000000000",
    tokenServiceProvider: "vts",
    status: "active",
    createdAt: nowMs - CREATED_BEFORE_MS,
    updatedAt: nowMs,
  }
}

/** Returns a sample update of a card, as the account updater reports one. @param nowMs epoch milliseconds */
export function sampleAccountUpdate(subscription: string, nowMs: number): object {
  return {
    subscription,
    updateType: "new-account-number",
    replacement: { number: EXAMPLE_TOKEN, expiry: { month: "09", year: "39" } },
    occurredAt: nowMs,
  }
}

/** Returns a sample signal of a watched card. @param nowMs epoch milliseconds */
export function sampleRetrySignal(watch: string, nowMs: number): object {
  return { watch, signal: "retry-now", confidence: "high", occurredAt: nowMs }
}

const DAY_MS = 24 * 60 * 60_000

/** Returns a sample pre-chargeback alert, as the API returns one. @param nowMs epoch milliseconds */
export function sampleAlert(
  id: string,
  merchant: string,
  status: "open" | "resolved",
  nowMs: number,
): object {
  const isResolved = status === "resolved"
  const createdAt = isResolved ? nowMs - CREATED_BEFORE_MS : nowMs
  return {
    id,
    network: "ethoca",
    type: "dispute",
    merchant,
    card: { bin: "520000", lastFour: "0002", brand: "mastercard" },
    transaction: {
      amount: 1_000,
      currency: "eur",
      occurredAt: createdAt - DAY_MS,
      descriptor: "Example Shop",
      authorizationCode: "123456",
      acquirerReferenceNumber: "00000000000000000000000",
    },
    status,
    outcome: isResolved ? "refunded" : null,
    ...(isResolved && { refundedAmount: 1_000 }),
    respondBy: createdAt + DAY_MS,
    createdAt,
    ...(isResolved && { updatedAt: nowMs }),
  }
}
