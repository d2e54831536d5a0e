import type { Endpoint } from "@sealway/http"
import type { EnclaveDependencies } from "../dependencies.ts"
import { createEnclave } from "./create-enclave.ts"
import { decryptForEnclave } from "./decrypt-for-enclave.ts"
import { deleteEnclave } from "./delete-enclave.ts"
import { getEnclave } from "./get-enclave.ts"
import { listEnclaves } from "./list-enclaves.ts"

/** Every endpoint of enclaves. */
export const enclaveEndpoints: readonly Endpoint<EnclaveDependencies>[] = [
  createEnclave,
  listEnclaves,
  getEnclave,
  deleteEnclave,
  decryptForEnclave,
]
