import { listDataPolicies, type Transport } from "@sealway/sdk/api"
import { EXIT } from "../terminal/exit-codes.ts"
import { CommandFailure } from "../terminal/failures.ts"

const ID = /^policy_[0-9a-z]{12,60}$/

/**
 * Resolves an id or a name to the id of a policy.
 *
 * @throws CommandFailure when no policy has the name, or more than one
 */
export async function findPolicyId(service: Transport, idOrName: string): Promise<string> {
  if (ID.test(idOrName)) return idOrName
  const policies = await Array.fromAsync(listDataPolicies(service, { limit: 100 }))
  const [first, second] = policies.filter(({ name }) => name === idOrName)
  if (first === undefined) throw new CommandFailure("not-found", "No policy has this name.", EXIT.notFound)
  if (second !== undefined)
    throw new CommandFailure("ambiguous", "More than one policy has this name. Use its id.")
  return first.id
}
