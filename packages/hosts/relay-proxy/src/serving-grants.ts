import { LIMIT_GRANTS } from "@sealway/accounts"
import { SUBJECT_CREATION_GRANTS } from "@sealway/keys"
import { DECISION_GRANTS } from "@sealway/policies"
import { AUDIT_GRANTS, type Grant } from "@sealway/ports"
import { RELAY_DIRECTORY_GRANTS, RELAY_OBSERVER_GRANTS } from "@sealway/relay"

/**
 * The AWS permissions for passing requests through relays, in any process: finding the relay and its caller, opening
 * and sealing values as far as policies permit, and recording what happened.
 */
export const RELAY_SERVING_GRANTS: readonly Grant[] = [
  ...new Set<Grant>([
    "dynamodb:GetItem/keys",
    ...RELAY_DIRECTORY_GRANTS,
    ...DECISION_GRANTS,
    ...AUDIT_GRANTS,
    ...RELAY_OBSERVER_GRANTS,
    ...SUBJECT_CREATION_GRANTS,
    ...LIMIT_GRANTS,
  ]),
]
