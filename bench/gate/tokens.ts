import { TEST_APP } from "@sealway/accounts/testing"
import { sealingKeysOf } from "@sealway/keys"
import { createTestKeyring } from "@sealway/keys/testing"
import { createTokenOpener, decryptJson } from "@sealway/vault"
import { encryptJson } from "@sealway/vault/encrypt-json"
import { type Contender, microsecondsPerItem } from "../compare.ts"
import { documentOf } from "../document-of.ts"
import { lowerQuartile } from "../lower-quartile.ts"
import { documentOfValues, measurable } from "../token-ciphers/measurable.ts"
import { createNodeCryptoCipher } from "../token-ciphers/node-crypto.ts"
import { createSealwayCipher } from "../token-ciphers/sealway.ts"
import type { Measured } from "./measured.ts"

const ROUNDS = 40
/** How much CPU time each turn takes, about. */
const SLICE_MS = 10
const DIRECTIONS = ["encrypt", "decrypt"] as const

type Both = Readonly<Record<(typeof DIRECTIONS)[number], Contender | null>>

/**
 * Compares tokens, and documents of them as the API reads and writes them, with node:crypto alone.
 *
 * @param isWanted says which figures to measure, by name
 */
export async function measureTokens(isWanted: (name: string) => boolean): Promise<readonly Measured[]> {
  const results: Measured[] = []
  for (const size of [1, 100]) {
    const values = documentOfValues(size)
    const limit = await measurable(createNodeCryptoCipher(), values)
    const contenders: readonly (readonly [string, Both])[] = [
      ["tokens", await measurable(createSealwayCipher(), values)],
      // Of one value, it is nearly all requests: these are measured below.
      ...(size === 1 ? [] : [["documents", await documentsOf(size)] as const]),
    ]
    for (const [group, own] of contenders) {
      for (const direction of DIRECTIONS) {
        const name = `${group}: ${direction} ${size === 1 ? "1 value" : `${size} values`}`
        const [ours, theirs] = [own[direction], limit[direction]]
        if (ours === null || theirs === null) throw new TypeError("Both encrypt and decrypt")
        if (isWanted(name)) results.push({ name, ...(await compareInTurns(ours, theirs, size)) })
      }
    }
  }
  return results
}

/** What the API does with the body of a request of so many values. */
async function documentsOf(size: number): Promise<Both> {
  const keyring = createTestKeyring()
  await keyring.addVersion(TEST_APP)
  await keyring.open(TEST_APP, 1, "private")
  const keys = await sealingKeysOf(keyring, TEST_APP)
  const metadata = { role: null, encryptedAt: Math.floor(Date.now() / 1000) }
  const encrypt = (bytes: Buffer) => encryptJson(bytes, (values) => keys.current(values), metadata)
  const decrypt = (bytes: Buffer) => decryptJson(bytes, createTokenOpener(keyring, TEST_APP), () => new Map())
  const plain = Buffer.from(documentOf(size))
  const sealed = (await encrypt(plain)).bytes
  const opened = await decrypt(sealed)
  if (!opened.bytes.equals(plain)) throw new Error("The document is not decrypted to what it was")
  return {
    encrypt: { name: "Sealway", items: size, run: () => encrypt(plain) },
    decrypt: { name: "Sealway", items: size, run: () => decrypt(sealed) },
  }
}

async function compareInTurns(
  own: Contender,
  limit: Contender,
  size: number,
): Promise<Pick<Measured, "figure" | "ratio">> {
  const times = { own: [] as number[], limit: [] as number[] }
  for (let round = 0; round <= ROUNDS; round++) {
    const [ours, theirs] = [
      await microsecondsPerItem(own, SLICE_MS, cpuMs),
      await microsecondsPerItem(limit, SLICE_MS, cpuMs),
    ]
    // The first round compiles.
    if (round === 0) continue
    times.own.push(ours)
    times.limit.push(theirs)
  }
  const figure = lowerQuartile(times.own)
  return { figure: figure * size, ratio: lowerQuartile(times.limit) / figure }
}

/** The CPU time of this process. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
