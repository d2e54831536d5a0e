import { type BinRow, binRowSchema } from "./bin-row.ts"

const THREE_DS = {
  supportedVersions: {
    accessControlServer: ["2.1.0", "2.2.0"],
    directoryServer: ["2.1.0", "2.2.0", "2.3.1"],
  },
  acsInfoIndicators: [
    { code: "authentication-available", indicator: "01" },
    { code: "attempts-supported", indicator: "02" },
  ],
}
/** Numbers with the newest version. The others are authenticated with 2.2.0. */
const THREE_DS_2_3 = {
  ...THREE_DS,
  supportedVersions: {
    accessControlServer: ["2.1.0", "2.2.0", "2.3.1"],
    directoryServer: ["2.1.0", "2.2.0", "2.3.1"],
  },
}
const BOTH = { domestic: true, crossBorder: true }
const NEITHER = { domestic: false, crossBorder: false }

const range = (from: string, to: string, facts: object): BinRow => binRowSchema.parse({ from, to, ...facts })
const prefix = (digits: string, facts: object): BinRow => range(digits, digits, facts)

const visa = { brand: "visa", segment: "consumer", country: "us", currency: "usd", threeDS: THREE_DS }
const mastercard = { brand: "mastercard", segment: "consumer", country: "us", currency: "usd" }
const amex = { brand: "american-express", funding: "charge", country: "us", currency: "usd" }
const discover = { brand: "discover", funding: "credit", country: "us", currency: "usd" }
const TEST_BANK = "Test Bank"

const readTestRows = (): readonly BinRow[] => [
  prefix("400000", {
    ...visa,
    funding: "credit",
    issuer: TEST_BANK,
    productName: "Visa Traditional",
    fastFunds: BOTH,
  }),
  prefix("40000025", {
    ...visa,
    funding: "credit",
    country: "fr",
    currency: "eur",
    issuer: "Banque de Test",
  }),
  prefix("40000027", { ...visa, funding: "credit", country: "de", currency: "eur", issuer: "Testbank" }),
  prefix("40000082", {
    ...visa,
    funding: "debit",
    country: "gb",
    currency: "gbp",
    issuer: "Test Building Society",
  }),
  prefix("400005", {
    ...visa,
    funding: "debit",
    issuer: TEST_BANK,
    productName: "Visa Debit",
    fastFunds: BOTH,
  }),
  prefix("401288", { ...visa, funding: "credit", issuer: TEST_BANK, productName: "Visa Signature" }),
  prefix("411111", { ...visa, funding: "credit", issuer: TEST_BANK, productName: "Visa Traditional" }),
  prefix("422222", { ...visa, funding: "credit", issuer: TEST_BANK }),
  prefix("424242", {
    ...visa,
    funding: "credit",
    issuer: TEST_BANK,
    productName: "Visa Classic",
    fastFunds: BOTH,
  }),
  prefix("489537", { ...visa, funding: "credit", issuer: TEST_BANK, type: "network-token" }),
  prefix("510510", { ...mastercard, funding: "prepaid", issuer: TEST_BANK, fastFunds: NEITHER }),
  prefix("520000", {
    ...mastercard,
    funding: "credit",
    issuer: TEST_BANK,
    threeDS: THREE_DS_2_3,
    fastFunds: BOTH,
  }),
  prefix("520099", { ...mastercard, funding: "credit", issuer: TEST_BANK, type: "network-token" }),
  prefix("520082", { ...mastercard, funding: "debit", issuer: TEST_BANK, productName: "Debit Mastercard" }),
  prefix("543210", { ...mastercard, funding: "credit", segment: "commercial", issuer: TEST_BANK }),
  prefix("555555", {
    ...mastercard,
    funding: "credit",
    issuer: TEST_BANK,
    productName: "Mastercard Standard",
  }),
  range("222300", "222399", { ...mastercard, funding: "credit", issuer: TEST_BANK }),
  prefix("340000", { ...amex, issuer: "American Express", segment: "consumer", threeDS: THREE_DS }),
  prefix("340099", { ...amex, issuer: "American Express", segment: "consumer", type: "network-token" }),
  prefix("371449", { ...amex, issuer: "American Express", segment: "consumer" }),
  prefix("378282", { ...amex, issuer: "American Express", segment: "consumer" }),
  prefix("378734", { ...amex, issuer: "American Express", segment: "business", productName: "Corporate" }),
  prefix("601100", { ...discover, issuer: "Discover Bank", segment: "consumer", threeDS: THREE_DS }),
  prefix("601111", { ...discover, issuer: "Discover Bank", segment: "consumer" }),
  prefix("305693", { brand: "diners-club", funding: "charge", segment: "consumer" }),
  prefix("360000", { brand: "diners-club", funding: "charge", segment: "consumer", threeDS: THREE_DS }),
  prefix("385200", { brand: "diners-club", funding: "charge", segment: "consumer" }),
  prefix("353000", { brand: "jcb", funding: "credit", segment: "consumer", country: "jp", currency: "jpy" }),
  prefix("353011", { brand: "jcb", funding: "credit", segment: "consumer", country: "jp", currency: "jpy" }),
  prefix("356600", { brand: "jcb", funding: "credit", segment: "consumer", country: "jp", currency: "jpy" }),
  prefix("620000", {
    brand: "unionpay",
    funding: "credit",
    segment: "consumer",
    country: "cn",
    currency: "cny",
  }),
  prefix("620512", {
    brand: "unionpay",
    funding: "debit",
    segment: "consumer",
    country: "cn",
    currency: "cny",
  }),
]

let rows: readonly BinRow[] | null = null

/**
 * Returns the ranges of test numbers that networks and processors publish, with made-up issuers, for teams without a
 * table. They contain no real card's number.
 */
export function testRows(): readonly BinRow[] {
  rows ??= readTestRows()
  return rows
}
