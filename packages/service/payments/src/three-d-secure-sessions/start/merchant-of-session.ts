import type { App } from "@sealway/accounts"
import { ApiError, invalidField, isId } from "@sealway/kernel"
import type { PaymentDependencies } from "../../dependencies.ts"
import { MERCHANTS } from "../../merchants/merchant-kind.ts"
import type { SessionMerchant } from "../record/session.ts"
import type { SessionInput } from "../record/session-request.ts"

/** The longest name that fits into messages. */
const MAX_NAME_CHARACTERS = 40

/**
 * Finds the merchant that a request names or describes.
 *
 * @throws InvalidRequestError at /merchant when the app has no merchant with the id
 * @throws ApiError `payments/3ds-sessions/short-name-required` when its name is too long for messages
 */
export async function merchantOfSession(
  dependencies: Pick<PaymentDependencies, "paymentsTable" | "keyring">,
  app: App,
  given: SessionInput["merchant"],
): Promise<SessionMerchant> {
  if (typeof given !== "string") return { id: null, ...given }
  const found = isId("merchant", given) ? await MERCHANTS.table.find(dependencies, app, given) : null
  if (found === null || found.deletedAt !== null) {
    throw invalidField("/merchant", "The app has no merchant with this id.")
  }
  const { name, shortName, website, categoryCode, business } = found.details
  const fitting = name.length <= MAX_NAME_CHARACTERS ? name : shortName
  if (fitting === null) throw shortNameRequired()
  return { id: found.id, name: fitting, website, categoryCode, country: business.address.country }
}

function shortNameRequired(): ApiError {
  const reason = "The merchant's name has more than 40 characters. Give the merchant a shortName."
  return new ApiError("payments/3ds-sessions/short-name-required", reason, {
    fields: [{ pointer: "/merchant", reason }],
  })
}
