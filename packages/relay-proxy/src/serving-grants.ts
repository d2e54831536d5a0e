import { AUDIT_GRANTS, type Grant } from "@sealway/platform"
import { DECISION_GRANTS } from "@sealway/policies"
import { RELAY_DIRECTORY_GRANTS, RELAY_OBSERVER_GRANTS } from "@sealway/relay"

/**
 * What passing requests through relays needs of AWS, wherever it is done: finding the relay and who calls it, opening and
 * sealing values as far as policies permit, and recording what has happened.
 */
export const RELAY_SERVING_GRANTS: readonly Grant[] = [
  ...new Set<Grant>([
    ...RELAY_DIRECTORY_GRANTS,
    ...DECISION_GRANTS,
    ...AUDIT_GRANTS,
    ...RELAY_OBSERVER_GRANTS,
  ]),
]
