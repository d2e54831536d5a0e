import { DECISION_GRANTS } from "@sealway/policies"
import { AUDIT_GRANTS, type Grant, OPENING_GRANTS } from "@sealway/ports"

/** The AWS permissions for opening card data and recording that. */
export const CARD_DATA_GRANTS = [
  ...OPENING_GRANTS,
  ...DECISION_GRANTS,
  ...AUDIT_GRANTS,
] as const satisfies readonly Grant[]
