import { recordsOf } from "@sealway/platform"
import { type DataPolicy, dataPolicySchema } from "../rules/data-policy.ts"

/** The sort keys of an app's policies begin with this. */
export const POLICY_PREFIX = "data-policy#"

export const policyRecords = recordsOf<DataPolicy, "id">({
  prefix: POLICY_PREFIX,
  schema: dataPolicySchema,
  nameOf: ({ id }) => id,
})
