import {
  createDataPolicy,
  createDataRole,
  deleteDataPolicy,
  deleteDataRole,
  type Transport,
  updateDataPolicy,
  updateDataRole,
} from "@sealway/sdk/api"
import { jsonOf } from "../service/json-of.ts"
import type { PolicyState } from "./desired-state.ts"
import type { Change } from "./plan-policy-set.ts"

/** Makes a change of roles or policies. */
export function callForPolicy(service: Transport, change: Change): PromiseLike<unknown> {
  const { action, kind } = change
  if (kind === "role") {
    const roleId = change.name
    if (action === "delete") return deleteDataRole(service, { roleId })
    const { slug, name, description, accessLog } = change.after
    return action === "create"
      ? createDataRole(service, { body: { slug, name, description, accessLog } })
      : updateDataRole(service, { roleId, body: { name, description, archived: false, accessLog } })
  }
  if (action === "delete") return deleteDataPolicy(service, { policyId: change.id })
  const body = jsonOf(policyBody(change.after))
  return action === "create"
    ? createDataPolicy(service, { body })
    : updateDataPolicy(service, { policyId: change.id, body })
}

function policyBody({ name, effect, roles, conditions, cedar }: PolicyState) {
  return { name, effect, roles, conditions, cedar }
}
