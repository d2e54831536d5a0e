import type { CardBrand } from "@sealway/kernel"
import { DIRECTORY_SERVERS } from "../../messages/authenticate.ts"

type Status = "Y" | "A"

const MASTERCARD: Readonly<Record<Status, string>> = { Y: "02", A: "01" }
const OTHERS: Readonly<Record<Status, string>> = { Y: "05", A: "06" }

/** Returns the electronic commerce indicator of an authentication or an attempt. */
export function sandboxEci(brand: CardBrand | null, transStatus: Status): string {
  const isMastercard = brand !== null && DIRECTORY_SERVERS[brand] === "mastercard"
  return (isMastercard ? MASTERCARD : OTHERS)[transStatus]
}
