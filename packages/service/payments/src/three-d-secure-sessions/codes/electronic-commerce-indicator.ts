import type { CardBrand } from "@sealway/kernel"
import { DIRECTORY_SERVERS } from "../../networks/messages/authenticate.ts"

export const ECI_DESCRIPTORS = ["fully-authenticated", "attempted", "not-authenticated"] as const

export interface ElectronicCommerceIndicator {
  readonly value: string
  readonly descriptor: (typeof ECI_DESCRIPTORS)[number]
  /** Whether the issuer, not the merchant, is liable for fraud. */
  readonly liabilityShift: boolean
}

type Meaning = Omit<ElectronicCommerceIndicator, "value">

const FULL: Meaning = { descriptor: "fully-authenticated", liabilityShift: true }
const ATTEMPTED: Meaning = { descriptor: "attempted", liabilityShift: true }
const NONE: Meaning = { descriptor: "not-authenticated", liabilityShift: false }

const MASTERCARD: ReadonlyMap<string, Meaning> = new Map([
  ["02", FULL],
  ["N2", FULL],
  ["01", ATTEMPTED],
  ["07", FULL],
])
const OTHERS: ReadonlyMap<string, Meaning> = new Map([
  ["05", FULL],
  ["06", ATTEMPTED],
])

/** The meaning of `transStatus` for networks that omit the indicator. */
const BY_STATUS = {
  mastercard: new Map([
    ["Y", "02"],
    ["A", "01"],
    ["I", "04"],
  ]),
  others: new Map([
    ["Y", "05"],
    ["A", "06"],
    ["I", "07"],
  ]),
} as const

function isOfMastercard(brand: CardBrand | null): boolean {
  return brand !== null && DIRECTORY_SERVERS[brand] === "mastercard"
}

/** Returns the indicator of a network's answer, or else the one that its status implies. */
export function eciOf(
  brand: CardBrand | null,
  { eci, transStatus }: { readonly eci?: string | undefined; readonly transStatus?: string | undefined },
): string {
  const isMastercard = isOfMastercard(brand)
  const usual = (isMastercard ? BY_STATUS.mastercard : BY_STATUS.others).get(transStatus ?? "")
  return eci ?? usual ?? (isMastercard ? "00" : "07")
}

/**
 * Returns what an indicator means for fraud liability.
 *
 * @param isFirst whether the cardholder takes part, as in the first of recurring payments
 */
export function meaningOfEci(
  brand: CardBrand | null,
  value: string,
  isFirst: boolean,
): ElectronicCommerceIndicator {
  const isMastercard = isOfMastercard(brand)
  const meaning = (isMastercard ? MASTERCARD : OTHERS).get(value) ?? NONE
  // Mastercard's indicator of recurring payments shifts liability only for the first one.
  const isLater = isMastercard && value === "07" && !isFirst
  return { value, ...meaning, ...(isLater && { liabilityShift: false }) }
}
