import type { Platform } from "@sealway/http"
import {
  createDataRoles,
  createPolicyDependencies,
  type DataRoles,
  type PolicyDependencies,
  type PolicyProver,
} from "@sealway/policies"

/**
 * @param dataRoles default: new ones
 * @param prover default: none
 */
export function createDependencies(
  platform: Platform,
  dataRoles: DataRoles = createDataRoles(platform),
  prover: PolicyProver | null = null,
): PolicyDependencies {
  return createPolicyDependencies(platform, dataRoles, prover)
}
