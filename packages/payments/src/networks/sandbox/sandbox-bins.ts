import type { BinAnswer, BinRange, BinRequest } from "../messages/bin.ts"
import { type TestBrand, testBrandOf } from "./outcome-of.ts"

/** What the sandbox tells of each test BIN. */
export const SANDBOX_CARDS: Readonly<
  Record<
    TestBrand,
    { readonly funding: "credit" | "debit"; readonly country: string; readonly currency: string }
  >
> = {
  visa: { funding: "credit", country: "us", currency: "usd" },
  mastercard: { funding: "debit", country: "gb", currency: "gbp" },
  "american-express": { funding: "credit", country: "us", currency: "usd" },
  discover: { funding: "credit", country: "us", currency: "usd" },
  "diners-club": { funding: "credit", country: "us", currency: "usd" },
  jcb: { funding: "credit", country: "jp", currency: "jpy" },
  unionpay: { funding: "debit", country: "cn", currency: "cny" },
}

export function sandboxBin({ number }: BinRequest): BinAnswer {
  const brand = testBrandOf(number)
  return { range: brand === null ? null : rangeOf(brand) }
}

function rangeOf(brand: TestBrand): BinRange {
  return {
    matchPrecision: 6,
    type: "card",
    brand,
    ...SANDBOX_CARDS[brand],
    segment: "consumer",
    issuer: "Sandbox Bank",
    productName: "Sandbox",
    fastFunds: { domestic: true, crossBorder: false },
    threeDS: {
      supportedVersions: { accessControlServer: ["2.2.0"], directoryServer: ["2.2.0"] },
      acsInfoIndicators: [
        { indicator: "01", code: "authentication-available", description: "Authentication is available" },
      ],
    },
  }
}
