import type { App } from "@sealway/accounts"
import { equalInConstantTime, UnauthorizedError } from "@sealway/kernel"
import type { Grant, Table } from "@sealway/ports"
import type { AccessRecord } from "@sealway/records"
import { InvalidAttestationError } from "../attestation/invalid-attestation-error.ts"
import { MAX_ATTESTATION_AGE_MS } from "../attestation/limits.ts"
import type { Pcrs } from "../attestation/pcrs.ts"
import type { Attestation } from "../attestation/verify-attestation.ts"
import type { EnclaveRegistry } from "../records/enclave-registry.ts"
import { type AttestedKey, readAttestedKey } from "./attested-key.ts"
import { bindRequest } from "./request-binding.ts"

/** The AWS permissions that `admitEnclave` needs. */
export const ADMISSION_GRANTS = [
  "dynamodb:Query/config",
  "dynamodb:PutItem/events",
] as const satisfies readonly Grant[]

/** An enclave whose attestation is good for one request. */
export interface AdmittedEnclave {
  readonly pcrs: Pcrs
  /** The key to which the answer is encrypted. */
  readonly key: AttestedKey
  /** For the access log. */
  readonly identity: NonNullable<AccessRecord["enclave"]>
}

export interface AdmissionDependencies {
  /** See `AttestationVerifier`. */
  readonly verifyAttestation: (bytes: Uint8Array, nowMs: number) => Promise<Attestation>
  readonly enclaves: EnclaveRegistry
  readonly eventsTable: Pick<Table, "create">
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** What an enclave has sent. */
export interface AttestedRequest {
  readonly app: App
  /** Whether an API key came with it. */
  readonly hasApiKey: boolean
  readonly attestation: Uint8Array
  /** The bytes of `data`. */
  readonly data: Uint8Array
}

/**
 * Verifies that an enclave has attested this very request, for the first time, and that the app lets it in: with an API
 * key, or because its image is registered.
 *
 * @throws UnauthorizedError when it has not, without a hint which of these
 */
export async function admitEnclave(
  dependencies: AdmissionDependencies,
  request: AttestedRequest,
): Promise<AdmittedEnclave> {
  try {
    return await admit(dependencies, request)
  } catch (error) {
    if (!(error instanceof InvalidAttestationError)) throw error
    throw new UnauthorizedError(error.message)
  }
}

async function admit(
  { verifyAttestation, enclaves, eventsTable, wallClock }: AdmissionDependencies,
  { app, hasApiKey, attestation, data }: AttestedRequest,
): Promise<AdmittedEnclave> {
  const { id, moduleId, timestampMs, pcrs, publicKey, userData } = await verifyAttestation(
    attestation,
    wallClock(),
  )
  if (userData === null || !equalInConstantTime(userData, bindRequest(app.id, data))) {
    throw new InvalidAttestationError()
  }
  const key = readAttestedKey(publicKey)
  const registration = await enclaves.find(app.id, pcrs)
  if (registration === null && !hasApiKey) throw new InvalidAttestationError()
  // By then the document is too old. A repeated one would spend budgets and leave access records, though only the enclave
  // could read the answer.
  const expiresAt = Math.ceil((timestampMs + 2 * MAX_ATTESTATION_AGE_MS) / 1_000)
  const isFirst = await eventsTable.create({ pk: `attestation#${app.id}`, sk: id }, { expiresAt })
  if (!isFirst) throw new InvalidAttestationError()
  const identity = { moduleId, pcr0: pcrs.pcr0 ?? "", registrationId: registration?.id ?? null }
  return { pcrs, key, identity }
}
