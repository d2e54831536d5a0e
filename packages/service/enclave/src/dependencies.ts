import type { Platform } from "@sealway/http"
import { loadOnce } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import type { DataRoles } from "@sealway/policies"
import type { Draws, Table } from "@sealway/ports"
import type { AccessLog, AuditLog } from "@sealway/records"
import { createEnclaveRegistry } from "./records/enclave-registry.ts"
import type { AdmissionDependencies } from "./request/admit-enclave.ts"

/** The dependencies of this package's endpoints. */
export interface EnclaveDependencies extends AdmissionDependencies {
  readonly configTable: Table
  readonly keyring: Keyring
  readonly audit: AuditLog
  readonly accessLog: Pick<AccessLog, "record">
  readonly draws: Draws
  readonly dataRoles: DataRoles
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
    configTable,
    eventsTable,
    keyring,
    audit,
    accessLog,
    draws,
    wallClock,
    dataRoles,
    verifyAttestation: createVerification(enclaveRoot),
    enclaves: createEnclaveRegistry(configTable, now),
  }
}

/** Loads what verifies when it is first needed: parsers of certificates and CBOR, which take as long as a request. */
function createVerification(root: string | null): EnclaveDependencies["verifyAttestation"] {
  const verifier = loadOnce(async () => {
    const { createAttestationVerifier } = await import("./attestation/verify-attestation.ts")
    return createAttestationVerifier(root ?? undefined)
  })
  return async (bytes, nowMs) => (await verifier()).verify(bytes, nowMs)
}
