import type { Transport } from "@sealway/sdk/api"
import type { CliHost } from "../terminal/host.ts"
import { type DeclaredPolicies, readDeclaredPolicies } from "./declared-policies.ts"
import type { StoredPolicySet } from "./plan-policy-set.ts"
import { readStoredPolicies } from "./stored-policies.ts"

/**
 * Reads roles and policies: those of a folder, or of the service where no folder is named.
 *
 * @throws UsageFailure for a folder, see `readDeclaredPolicies`
 */
export async function readKnownPolicies(
  asApp: () => Promise<Transport>,
  host: CliHost,
  folder: string | undefined,
): Promise<StoredPolicySet | DeclaredPolicies> {
  return folder === undefined ? readStoredPolicies(await asApp()) : readDeclaredPolicies(host, folder)
}
