import { InvalidAttestationError } from "./invalid-attestation-error.ts"
import { MAX_ATTESTATION_BYTES, PCR_BYTES } from "./limits.ts"
import { readCbor } from "./read-cbor.ts"

/** What an attestation document says. Nothing is verified yet but its form. */
export interface AttestationDocument {
  readonly moduleId: string
  /** Epoch milliseconds. */
  readonly timestampMs: number
  /** By index, 48 bytes each. */
  readonly pcrs: ReadonlyMap<number, Uint8Array>
  /** DER of the certificate whose key has signed the document. */
  readonly certificate: Uint8Array
  /** DER of the certificates above it: the root first, the issuer of `certificate` last. */
  readonly authorities: readonly Uint8Array[]
  /** What the enclave has put in; null when it has put in nothing. */
  readonly publicKey: Uint8Array | null
  readonly userData: Uint8Array | null
  readonly nonce: Uint8Array | null
}

/** A COSE_Sign1 message (RFC 9052, section 4.2) whose payload is an attestation document. */
export interface SignedDocument {
  readonly document: AttestationDocument
  /** CBOR of the protected header. */
  readonly header: Uint8Array
  readonly payload: Uint8Array
  /** r and s of the signature, 48 bytes each. */
  readonly signature: Uint8Array
}

const ALGORITHM_LABEL = 1
/** RFC 9053, table 1. */
const ES384 = -35
const SIGNATURE_BYTES = 96
const MAX_PCRS = 32
const MAX_MODULE_ID_CHARACTERS = 200
const MAX_CERTIFICATE_BYTES = 1_024
const MAX_AUTHORITIES = 8
const MAX_KEY_BYTES = 1_024
const MAX_USER_BYTES = 512

/**
 * Reads a signed attestation document, as the Nitro Security Module writes it, and checks the form of every field, as
 * AWS asks in "Verifying the root of trust", section 3.2.2.2.
 *
 * The message itself has one spelling only. Its payload is signed as bytes, so its spelling is the module's affair:
 * newer modules write its map with an indefinite length.
 *
 * @throws InvalidAttestationError when it is anything else
 */
export function readSignedDocument(bytes: Uint8Array): SignedDocument {
  require(bytes.length <= MAX_ATTESTATION_BYTES)
  const message = readCbor(bytes, "definite")
  require(Array.isArray(message) && message.length === 4)
  const [header, unprotected, payload, signature]: readonly unknown[] = message
  require(isBytes(header) && isBytes(payload))
  require(isBytes(signature) && signature.length === SIGNATURE_BYTES)
  require(unprotected instanceof Map && unprotected.size === 0)
  const parameters = readCbor(header, "definite")
  require(parameters instanceof Map && parameters.size === 1 && parameters.get(ALGORITHM_LABEL) === ES384)
  return { document: readDocument(payload), header, payload, signature }
}

function readDocument(payload: Uint8Array): AttestationDocument {
  const fields = readCbor(payload, "any")
  require(fields instanceof Map)
  const field = (name: string): unknown => fields.get(name)
  const [moduleId, timestampMs] = [field("module_id"), field("timestamp")]
  require(typeof moduleId === "string" && moduleId !== "" && moduleId.length <= MAX_MODULE_ID_CHARACTERS)
  require(field("digest") === "SHA384")
  require(typeof timestampMs === "number" && Number.isSafeInteger(timestampMs) && timestampMs > 0)
  const authorities = field("cabundle")
  require(Array.isArray(authorities) && authorities.length > 0 && authorities.length <= MAX_AUTHORITIES)
  return {
    moduleId,
    timestampMs,
    pcrs: pcrsOf(field("pcrs")),
    certificate: bytesOf(field("certificate"), 1, MAX_CERTIFICATE_BYTES),
    authorities: authorities.map((each: unknown) => bytesOf(each, 1, MAX_CERTIFICATE_BYTES)),
    publicKey: optionalBytes(field("public_key"), 1, MAX_KEY_BYTES),
    userData: optionalBytes(field("user_data"), 0, MAX_USER_BYTES),
    nonce: optionalBytes(field("nonce"), 0, MAX_USER_BYTES),
  }
}

function pcrsOf(value: unknown): ReadonlyMap<number, Uint8Array> {
  require(value instanceof Map && value.size > 0 && value.size <= MAX_PCRS)
  const pcrs = new Map<number, Uint8Array>()
  for (const [index, pcr] of value) {
    require(typeof index === "number" && Number.isInteger(index) && index >= 0 && index < MAX_PCRS)
    pcrs.set(index, bytesOf(pcr, PCR_BYTES, PCR_BYTES))
  }
  return pcrs
}

function optionalBytes(value: unknown, min: number, max: number): Uint8Array | null {
  return value === undefined || value === null ? null : bytesOf(value, min, max)
}

function bytesOf(value: unknown, min: number, max: number): Uint8Array {
  require(isBytes(value) && value.length >= min && value.length <= max)
  return value
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array
}

function require(condition: boolean): asserts condition {
  if (!condition) throw new InvalidAttestationError()
}
