import { jsonBody } from "../json-body.ts"
import type { Call, ServiceClient } from "../service-client.ts"
import type { PolicyState } from "./desired-state.ts"
import type { Change } from "./plan-changes.ts"
import { POLICIES_PATH, ROLES_PATH } from "./stored-policies.ts"

/** How far a plan was carried out. */
export interface Progress {
  readonly done: readonly Change[]
  /** The change that failed, and why; null when all are done. */
  readonly failed: { readonly change: Change; readonly error: unknown } | null
  readonly left: readonly Change[]
}

/**
 * Makes changes one after another and stops at the first that fails. Each call carries its own `Idempotency-Key`, so one
 * whose answer was lost is not made twice.
 */
export async function applyChanges(
  service: ServiceClient,
  changes: readonly Change[],
  onDone: (change: Change) => void,
): Promise<Progress> {
  for (const [index, change] of changes.entries()) {
    try {
      const response = await service.send(callOf(change))
      await response.body?.cancel()
      onDone(change)
    } catch (error) {
      return { done: changes.slice(0, index), failed: { change, error }, left: changes.slice(index + 1) }
    }
  }
  return { done: changes, failed: null, left: [] }
}

function callOf(change: Change): Call {
  const { action, kind } = change
  const path = kind === "role" ? [...ROLES_PATH, change.name] : POLICIES_PATH
  if (action === "delete") {
    return { method: "DELETE", path: kind === "role" ? path : [...path, change.id] }
  }
  if (kind === "role") {
    const { slug, name, description } = change.after
    return action === "create"
      ? { method: "POST", path: ROLES_PATH, body: jsonBody({ slug, name, description }) }
      : { method: "PATCH", path, body: jsonBody({ name, description, archived: false }) }
  }
  const body = jsonBody(policyBody(change.after))
  return action === "create"
    ? { method: "POST", path, body }
    : { method: "PATCH", path: [...path, change.id], body }
}

function policyBody({ name, effect, roles, conditions, cedar }: PolicyState) {
  return { name, effect, roles, conditions, cedar }
}
