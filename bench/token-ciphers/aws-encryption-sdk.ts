import { randomBytes } from "node:crypto"
import {
  AlgorithmSuiteIdentifier,
  buildClient,
  CommitmentPolicy,
  RawAesKeyringNode,
  RawAesWrappingSuiteIdentifier,
} from "@aws-crypto/client-node"
import type { DocumentCipher } from "./document-cipher.ts"

/** Creates the cipher with a raw AES keyring and the default suite, which also signs each message (ECDSA on P-384). */
export function createAwsEncryptionSdkCipher(): DocumentCipher<readonly Buffer[]> {
  return createCipher("@aws-crypto/client-node", 3, undefined)
}

/**
 * Creates the same with the suite for those who trust everyone that can encrypt, which does not sign; neither does
 * Sealway.
 */
export function createUnsignedAwsEncryptionSdkCipher(): DocumentCipher<readonly Buffer[]> {
  const suiteId = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY
  return createCipher("@aws-crypto/client-node, without signatures", 20, suiteId)
}

function createCipher(
  name: string,
  sampleSize: number,
  suiteId: AlgorithmSuiteIdentifier | undefined,
): DocumentCipher<readonly Buffer[]> {
  const { encrypt, decrypt } = buildClient(CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT)
  const keyring = new RawAesKeyringNode({
    keyName: "benchmark",
    keyNamespace: "benchmark",
    // The keyring requires separate memory, not a slice of the pool of small Buffers.
    unencryptedMasterKey: Uint8Array.from(randomBytes(32)),
    wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
  })
  return {
    name,
    sampleSize,
    async encrypt(values) {
      const messages: Buffer[] = []
      for (const value of values) {
        const { result } = await encrypt(keyring, value, suiteId === undefined ? {} : { suiteId })
        messages.push(result)
      }
      return messages
    },
    async decrypt(messages) {
      const values: string[] = []
      for (const message of messages) values.push((await decrypt(keyring, message)).plaintext.toString())
      return values
    },
  }
}
