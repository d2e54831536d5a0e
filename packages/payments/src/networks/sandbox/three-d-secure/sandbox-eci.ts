import type { CardBrand } from "@sealway/kernel"

type Status = "Y" | "A"

const MASTERCARD: Readonly<Record<Status, string>> = { Y: "02", A: "01" }
const OTHERS: Readonly<Record<Status, string>> = { Y: "05", A: "06" }

/** Returns the electronic commerce indicator of an authentication or an attempt. */
export function sandboxEci(brand: CardBrand | null, transStatus: Status): string {
  return (brand === "mastercard" ? MASTERCARD : OTHERS)[transStatus]
}
