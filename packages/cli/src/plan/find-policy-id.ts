import * as z from "zod"
import { listAll } from "../service/list-pages.ts"
import type { ServiceClient } from "../service/service-client.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { CommandFailure } from "../terminal/failures.ts"
import { POLICIES_PATH } from "./stored-policies.ts"

const ID = /^policy_[0-9a-z]{12,60}$/

/**
 * Resolves an id or a name to the id of a policy.
 *
 * @throws CommandFailure when no policy has the name, or more than one
 */
export async function findPolicyId(service: ServiceClient, idOrName: string): Promise<string> {
  if (ID.test(idOrName)) return idOrName
  const policies = await listAll(service, POLICIES_PATH, z.object({ id: z.string(), name: z.string() }))
  const [first, second] = policies.filter(({ name }) => name === idOrName)
  if (first === undefined) throw new CommandFailure("not-found", "No policy has this name.", EXIT.notFound)
  if (second !== undefined)
    throw new CommandFailure("ambiguous", "More than one policy has this name. Use its id.")
  return first.id
}
