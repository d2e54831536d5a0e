import { CompactEncrypt, compactDecrypt, generateKeyPair } from "jose"
import type { DocumentCipher } from "./document-cipher.ts"

/** Creates compact JWE by ECDH-ES on P-256 and A256GCM, keys imported once, one value after the other. */
export async function createJoseCipher(): Promise<DocumentCipher<readonly string[]>> {
  const { encrypt, decrypt } = await createJwe()
  return {
    name: "jose",
    sampleSize: 20,
    encrypt: (values) => oneByOne(values, encrypt),
    decrypt: (tokens) => oneByOne(tokens, decrypt),
  }
}

/** Creates the same with all values of a document started at once, which also uses the machine's other cores. */
export async function createConcurrentJoseCipher(): Promise<DocumentCipher<readonly string[]>> {
  const { encrypt, decrypt } = await createJwe()
  return {
    name: "jose, all values at once",
    sampleSize: 100,
    encrypt: (values) => Promise.all(values.map(encrypt)),
    decrypt: (tokens) => Promise.all(tokens.map(decrypt)),
  }
}

async function createJwe() {
  const { publicKey, privateKey } = await generateKeyPair("ECDH-ES", { crv: "P-256" })
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  return {
    encrypt: (value: string): Promise<string> =>
      new CompactEncrypt(encoder.encode(value))
        .setProtectedHeader({ alg: "ECDH-ES", enc: "A256GCM" })
        .encrypt(publicKey),
    decrypt: async (token: string): Promise<string> =>
      decoder.decode((await compactDecrypt(token, privateKey)).plaintext),
  }
}

async function oneByOne(
  values: readonly string[],
  work: (value: string) => Promise<string>,
): Promise<string[]> {
  const results: string[] = []
  for (const value of values) results.push(await work(value))
  return results
}
