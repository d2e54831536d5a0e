import type { App } from "@sealway/accounts"
import { type CardBrand, invalidField, isId } from "@sealway/kernel"
import { ACQUIRERS } from "../../acquirers/acquirer-kind.ts"
import { findDefaultAcquirer } from "../../acquirers/default-acquirer.ts"
import type { PaymentDependencies } from "../../dependencies.ts"
import type { AcquirerNetwork, SessionAcquirer } from "../record/session.ts"
import type { SessionInput } from "../record/session-request.ts"

const POINTER = "/acquirer"
/** The space in messages. */
const MAX_IDENTIFIER_CHARACTERS = 35

/** The networks of acquirers, by card brand. */
const NETWORKS: Readonly<Record<CardBrand, AcquirerNetwork | null>> = {
  visa: "visa",
  mastercard: "mastercard",
  "american-express": "american-express",
  discover: "discover",
  "diners-club": "discover",
  jcb: "discover",
  unionpay: null,
  maestro: "mastercard",
  dankort: "visa",
  "cartes-bancaires": null,
}

/** Replaces a missing acquirer in a sandbox app. */
const STAND_IN: SessionAcquirer = { id: null, bin: "400000", merchantIdentifier: "SANDBOX", country: "us" }

/**
 * Finds the acquirer that a request names or describes; else the app's default one, and in the sandbox a stand-in.
 *
 * @throws InvalidRequestError at /acquirer when there is none, or it has no configuration for the card's network
 */
export async function acquirerOfSession(
  dependencies: Pick<PaymentDependencies, "paymentsTable" | "keyring">,
  app: App,
  given: SessionInput["acquirer"],
  brand: CardBrand | null,
): Promise<SessionAcquirer> {
  if (typeof given === "object") return { id: null, ...given }
  const found = await findAcquirer(dependencies, app, given)
  const network = brand === null ? null : NETWORKS[brand]
  const configuration = found?.details.configurations.find((each) => each.network === network)
  if (found === null || configuration === undefined) {
    if (given === undefined && app.environment === "sandbox") return STAND_IN
    throw invalidField(
      POINTER,
      given === undefined
        ? "The app has no default acquirer with a configuration for the card's network."
        : "The app has no acquirer with this id and a configuration for the card's network.",
    )
  }
  const { bin, acquirerMerchantIdentifier: merchantIdentifier, country } = configuration
  if (merchantIdentifier.length > MAX_IDENTIFIER_CHARACTERS) {
    throw invalidField(POINTER, "The acquirerMerchantIdentifier has more than 35 characters.")
  }
  return { id: found.id, bin, merchantIdentifier, country }
}

async function findAcquirer(
  dependencies: Pick<PaymentDependencies, "paymentsTable" | "keyring">,
  app: App,
  given: string | undefined,
) {
  const id = given ?? (await findDefaultAcquirer(dependencies.paymentsTable, app))
  const found = id !== null && isId("acquirer", id) ? await ACQUIRERS.table.find(dependencies, app, id) : null
  return found?.deletedAt === null ? found : null
}
