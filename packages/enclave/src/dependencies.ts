import type { AccessLog, AuditLog, Draws, Keyring, Platform, Table } from "@sealway/platform"
import type { DataRoles } from "@sealway/policies"
import { type AttestationVerifier, createAttestationVerifier } from "./attestation/verify-attestation.ts"
import { createEnclaveRegistry, type EnclaveRegistry } from "./records/enclave-registry.ts"

/** The dependencies of this package's endpoints. */
export interface EnclaveDependencies {
  readonly configTable: Table
  readonly eventsTable: Pick<Table, "create">
  readonly keyring: Keyring
  readonly audit: AuditLog
  readonly accessLog: Pick<AccessLog, "record">
  readonly draws: Draws
  readonly dataRoles: DataRoles
  readonly attestations: AttestationVerifier
  readonly enclaves: EnclaveRegistry
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

type EnclavePlatform = Pick<
  Platform,
  | "configTable"
  | "eventsTable"
  | "keyring"
  | "audit"
  | "accessLog"
  | "draws"
  | "now"
  | "wallClock"
  | "enclaveRoot"
>

export function createEnclaveDependencies(
  platform: EnclavePlatform,
  dataRoles: DataRoles,
): EnclaveDependencies {
  const { configTable, eventsTable, keyring, audit, accessLog, draws, now, wallClock, enclaveRoot } = platform
  return {
    ...{ configTable, eventsTable, keyring, audit, accessLog, draws, wallClock, dataRoles },
    attestations: createAttestationVerifier(enclaveRoot ?? undefined),
    enclaves: createEnclaveRegistry(configTable, now),
  }
}
