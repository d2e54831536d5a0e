import type { Endpoint } from "@sealway/http"
import type { EnclaveDependencies } from "../dependencies.ts"
import { createEnclave } from "./create-enclave.ts"
import { decryptForEnclave } from "./decrypt-for-enclave.ts"
import { deleteEnclave, getEnclave, listEnclaves } from "./enclaves.ts"

/** Every endpoint of enclaves. */
export const enclaveEndpoints: readonly Endpoint<EnclaveDependencies>[] = [
  createEnclave,
  listEnclaves,
  getEnclave,
  deleteEnclave,
  decryptForEnclave,
]
