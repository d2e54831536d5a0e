import { createHash, type KeyObject, sign } from "node:crypto"
import { encode } from "cborg"
import { authority, type Issued, issue, signer } from "./certificates.ts"

/** What a program in an enclave asks its module to put into a document. */
export interface AttestationRequest {
  readonly publicKey?: Uint8Array | null
  readonly userData?: Uint8Array | null
  readonly nonce?: Uint8Array | null
}

/** Nitro hypervisors with a root of their own: what they sign is in every byte as the real ones would. */
export interface SimulatedNitro {
  /** SHA-256 of the root, hexadecimal. */
  readonly rootFingerprint: string
  /** The root first, the enclave's own last. */
  readonly chain: readonly Issued[]
  /** Signs a document. @param fields replace those of a document by the default */
  attest(request: AttestationRequest, fields?: Readonly<Record<string, unknown>>): Buffer
}

/** PCRs of an image: each byte says which. */
export function pcrsOf(image: number): Map<number, Uint8Array> {
  const pcr = (index: number) => new Uint8Array(48).fill(index <= 2 ? image + index : 0)
  return new Map(Array.from({ length: 16 }, (_, index) => [index, pcr(index)]))
}

/** @param wallClock epoch milliseconds, the time of documents */
export async function createSimulatedNitro(
  wallClock: () => number,
  pcrs: ReadonlyMap<number, Uint8Array> = pcrsOf(1),
): Promise<SimulatedNitro> {
  const root = await issue(null, { name: "root", extensions: authority() })
  const region = await issue(root, { name: "region", extensions: authority(1) })
  const instance = await issue(region, { name: "instance", extensions: authority(0) })
  const enclave = await issue(instance, { name: "enclave", extensions: signer() })
  const chain = [root, region, instance, enclave]
  return {
    rootFingerprint: createHash("sha256").update(root.der).digest("hex"),
    chain,
    attest: (request, fields = {}) =>
      signDocument(
        { ...documentOf(chain, request), timestamp: wallClock(), pcrs: new Map(pcrs), ...fields },
        enclave.privateKey,
      ),
  }
}

/** The fields of a document without time and PCRs, as the module writes them. */
export function documentOf(
  chain: readonly Issued[],
  { publicKey = null, userData = null, nonce = null }: AttestationRequest,
): Record<string, unknown> {
  return {
    module_id: "i-0123456789abcdef0-enc0123456789abcdef",
    digest: "SHA384",
    certificate: chain.at(-1)?.der,
    cabundle: chain.slice(0, -1).map(({ der }) => der),
    public_key: publicKey,
    user_data: userData,
    nonce,
  }
}

/** Signs a document. */
export function signDocument(fields: Readonly<Record<string, unknown>>, key: KeyObject): Buffer {
  return signPayload(encode(fields), key)
}

/** Signs any payload, as COSE_Sign1. @param header the protected header. Default: that ES384 is used */
export function signPayload(
  payload: Uint8Array,
  key: KeyObject,
  header: Uint8Array = encode(new Map([[1, -35]])),
): Buffer {
  const signed = encode(["Signature1", header, new Uint8Array(), payload])
  const signature = sign("sha384", signed, { key, dsaEncoding: "ieee-p1363" })
  return Buffer.from(encode([header, new Map(), payload, new Uint8Array(signature)]))
}
