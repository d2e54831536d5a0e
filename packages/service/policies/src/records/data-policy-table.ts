import { recordsOf } from "@sealway/ports"
import { type DataPolicy, dataPolicySchema } from "../rules/data-policy.ts"

/** The prefix of the sort keys of an app's policies. */
export const POLICY_PREFIX = "data-policy#"

export const policyRecords = recordsOf<DataPolicy, "id">({
  prefix: POLICY_PREFIX,
  schema: dataPolicySchema,
  nameOf: ({ id }) => id,
})
