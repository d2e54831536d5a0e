import { jsonBody } from "../service/json-body.ts"
import type { Call } from "../service/service-client.ts"
import type { PolicyState } from "./desired-state.ts"
import type { Change } from "./plan-policy-set.ts"
import { POLICIES_PATH, ROLES_PATH } from "./stored-policies.ts"

/** Returns the call that makes a change of roles or policies. */
export function policyCall(change: Change): Call {
  const { action, kind } = change
  const path = kind === "role" ? [...ROLES_PATH, change.name] : POLICIES_PATH
  if (action === "delete") {
    return { method: "DELETE", path: kind === "role" ? path : [...path, change.id] }
  }
  if (kind === "role") {
    const { slug, name, description, accessLog } = change.after
    return action === "create"
      ? { method: "POST", path: ROLES_PATH, body: jsonBody({ slug, name, description, accessLog }) }
      : { method: "PATCH", path, body: jsonBody({ name, description, archived: false, accessLog }) }
  }
  const body = jsonBody(policyBody(change.after))
  return action === "create"
    ? { method: "POST", path, body }
    : { method: "PATCH", path: [...path, change.id], body }
}

function policyBody({ name, effect, roles, conditions, cedar }: PolicyState) {
  return { name, effect, roles, conditions, cedar }
}
