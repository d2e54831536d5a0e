import {
  type DataPolicy,
  deleteDataPolicy,
  getDataPolicy,
  listDataPolicies,
  type Transport,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, NO_OPTIONS } from "../session/define-action.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { CommandFailure } from "../terminal/failures.ts"
import { formatJson, formatList, formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const ID = /^policy_[0-9a-z]{12,60}$/

/**
 * Resolves an id or a name to the id of a policy.
 *
 * @throws CommandFailure when no policy has the name, or more than one
 */
async function findPolicyId(service: Transport, idOrName: string): Promise<string> {
  if (ID.test(idOrName)) return idOrName
  const policies = await Array.fromAsync(listDataPolicies(service, { limit: 100 }))
  const [first, second] = policies.filter(({ name }) => name === idOrName)
  if (first === undefined) throw new CommandFailure("not-found", "No policy has this name.", EXIT.notFound)
  if (second !== undefined)
    throw new CommandFailure("ambiguous", "More than one policy has this name. Use its id.")
  return first.id
}

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
