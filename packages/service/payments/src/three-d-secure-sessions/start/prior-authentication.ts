import type { App } from "@sealway/accounts"
import { invalidField, isId } from "@sealway/kernel"
import type { PriorAuthentication } from "../record/session.ts"
import type { SessionInput } from "../record/session-request.ts"
import {
  findSession,
  findSessionOfTransaction,
  type SessionTableDependencies,
} from "../record/session-table.ts"

/**
 * Returns the data of the earlier session that a merchant-initiated one refers to; null when it refers to none.
 *
 * @throws InvalidRequestError when the app has no such session, or it did not succeed
 */
export async function priorAuthenticationOf(
  dependencies: SessionTableDependencies,
  app: App,
  initiator: SessionInput["initiator"],
): Promise<PriorAuthentication | null> {
  if (initiator?.type !== "merchant" || initiator.initialSession === undefined) return null
  const name = initiator.initialSession
  const found = isId("tds", name)
    ? await findSession(dependencies, app, name)
    : await findSessionOfTransaction(dependencies, app, name)
  const { acsTransID = null, flow = null } = found?.progress ?? {}
  if (found === null || acsTransID === null || flow === null) {
    throw invalidField("/initiator/initialSession", "The app has no successful session with this id.")
  }
  return { reference: acsTransID, flow, at: found.updatedAt ?? found.createdAt }
}
