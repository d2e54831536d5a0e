import type { CardBrand } from "@sealway/kernel"

export const ECI_DESCRIPTORS = ["fully-authenticated", "attempted", "not-authenticated"] as const

export interface ElectronicCommerceIndicator {
  readonly value: string
  readonly descriptor: (typeof ECI_DESCRIPTORS)[number]
  /** Whether the issuer, not the merchant, bears fraud. */
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

/** What networks that leave the indicator out mean by `transStatus`. */
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

/** The indicator of a network's answer: what it says, or else what its status means. */
export function eciOf(
  brand: CardBrand | null,
  { eci, transStatus }: { readonly eci?: string | undefined; readonly transStatus?: string | undefined },
): string {
  const isMastercard = brand === "mastercard"
  const usual = (isMastercard ? BY_STATUS.mastercard : BY_STATUS.others).get(transStatus ?? "")
  return eci ?? usual ?? (isMastercard ? "00" : "07")
}

/**
 * What an indicator means for who bears fraud.
 *
 * @param isFirst whether the cardholder takes part, as in the first of recurring payments
 */
export function meaningOfEci(
  brand: CardBrand | null,
  value: string,
  isFirst: boolean,
): ElectronicCommerceIndicator {
  const meaning = (brand === "mastercard" ? MASTERCARD : OTHERS).get(value) ?? NONE
  // Mastercard's indicator of recurring payments shifts liability for the first one only.
  const isLater = brand === "mastercard" && value === "07" && !isFirst
  return { value, ...meaning, ...(isLater && { liabilityShift: false }) }
}
