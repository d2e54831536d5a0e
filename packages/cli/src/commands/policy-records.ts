import { type DataPolicy, deleteDataPolicy, getDataPolicy, listDataPolicies } from "@sealway/sdk/api"
import type { Command } from "commander"
import { findPolicyId } from "../plan/find-policy-id.ts"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, NO_OPTIONS } from "../session/define-action.ts"
import { formatJson, formatList, formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const LIST_COLUMNS: readonly Column<DataPolicy>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "effect", value: ({ effect }) => effect },
  { title: "roles", value: ({ roles }) => formatList(roles) },
  { title: "updated", value: ({ updatedAt }) => formatTime(updatedAt) },
]
const COLUMNS: readonly Column<DataPolicy>[] = [
  ...LIST_COLUMNS,
  { title: "conditions", value: ({ conditions }) => (conditions ? formatJson(conditions) : NOTHING) },
  { title: "cedar", value: ({ cedar }) => cedar?.replace(/\s+/g, " ").trim() ?? NOTHING },
]

export function addPolicyRecordCommands(policies: Command, line: CommandLine): void {
  addResource(policies, line, {
    columns: COLUMNS,
    id: ["policy", "id or name"],
    list: {
      about: "List the app's data policies.",
      columns: LIST_COLUMNS,
      filters: NO_OPTIONS,
      call: ({ service, page }) => listDataPolicies(service, page),
    },
    records: {
      get: {
        about: "Show a data policy.",
        call: async ({ service, args: [policy] }) =>
          getDataPolicy(service, { policyId: await findPolicyId(service, policy) }),
      },
    },
    delete: {
      about: "Delete a data policy. Decryptions that only it permitted are refused from now on.",
      question: (policy) => `Delete the policy ${policy}?`,
      call: async ({ service, args: [policy] }) => {
        const policyId = await findPolicyId(service, policy)
        await deleteDataPolicy(service, { policyId })
        return policyId
      },
    },
  })
}
