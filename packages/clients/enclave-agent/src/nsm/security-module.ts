import { decodeFirst, encode } from "cborg"

/** What an attestation document says besides what the module knows. */
export interface AttestationRequest {
  /** At most 1024 bytes. Default: none. */
  readonly publicKey?: Uint8Array
  /** At most 512 bytes. Default: none. */
  readonly userData?: Uint8Array
  /** At most 512 bytes. Default: none. */
  readonly nonce?: Uint8Array
}

/** The Nitro Security Module of an enclave. */
export interface SecurityModule {
  /** Returns a signed attestation document. @throws SecurityModuleError when the module does not answer with one */
  attest(request: AttestationRequest): Promise<Buffer>
}

/** Sends the module one request in CBOR. @returns its answer, which zeros may follow */
export type Exchange = (request: Uint8Array) => Promise<Uint8Array>

/** The module has refused, or cannot be asked. */
export class SecurityModuleError extends Error {
  override readonly name = "SecurityModuleError"
}

/** Names of the module's errors: `InvalidArgument`, `InputTooLarge`, `InternalError`. */
const ERROR_NAME = /^[A-Za-z]{1,40}$/

/** Speaks the protocol of the module, as aws-nitro-enclaves-nsm-api defines it. */
export function createSecurityModule(exchange: Exchange): SecurityModule {
  return {
    async attest({ publicKey = null, userData = null, nonce = null }) {
      const request = { Attestation: { user_data: userData, nonce, public_key: publicKey } }
      return documentOf(await exchange(encode(request)))
    },
  }
}

function documentOf(answer: Uint8Array): Buffer {
  const response = mapOf(decodeAnswer(answer))
  const document = mapOf(response.get("Attestation")).get("document")
  if (document instanceof Uint8Array) return Buffer.from(document)
  const error = response.get("Error")
  const reason = typeof error === "string" && ERROR_NAME.test(error) ? error : "no document"
  throw new SecurityModuleError(`The security module answers: ${reason}`)
}

function decodeAnswer(answer: Uint8Array): unknown {
  try {
    return decodeFirst(answer, { useMaps: true })[0]
  } catch (cause) {
    throw new SecurityModuleError("The security module answers with something else than CBOR", { cause })
  }
}

function mapOf(value: unknown): ReadonlyMap<unknown, unknown> {
  return value instanceof Map ? value : new Map()
}
