import { type addressSchema, COUNTRIES, isState } from "@sealway/bins"
import * as z from "zod"
import type { Customer } from "../record/session-request.ts"

const MAX_LINE_CHARACTERS = 50

/** Returns what an AReq says about the cardholder, in all versions. */
export function customerElements(customer: Customer | null) {
  const { name, email, phone = [], billing, shipping } = customer ?? {}
  const phones = phone.map(({ type, countryCode, number }) => [
    `${type}Phone`,
    { cc: countryCode, subscriber: number },
  ])
  return {
    ...(name !== undefined && { cardholderName: name }),
    ...(email !== undefined && { email }),
    ...z
      .record(z.string(), z.object({ cc: z.string(), subscriber: z.string() }))
      .parse(Object.fromEntries(phones)),
    ...(billing?.address && addressElements("bill", billing.address)),
    ...(shipping?.address && addressElements("ship", shipping.address)),
  }
}

function addressElements(kind: "bill" | "ship", address: z.infer<typeof addressSchema>) {
  const { line1, line2, city, state, postalCode, country } = address
  const elements = {
    Line1: line1.slice(0, MAX_LINE_CHARACTERS),
    Line2: line2?.slice(0, MAX_LINE_CHARACTERS),
    City: city.slice(0, MAX_LINE_CHARACTERS),
    // Issuers know the codes of ISO 3166-2 only.
    State: state !== undefined && isState(country, state) ? state.toUpperCase() : undefined,
    PostCode: postalCode,
    Country: COUNTRIES.get(country),
  }
  return Object.fromEntries(
    Object.entries(elements).flatMap(([name, value]) =>
      value === undefined || value === "" ? [] : [[`${kind}Addr${name}`, value]],
    ),
  )
}
