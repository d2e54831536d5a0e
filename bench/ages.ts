import { cardNumbers, createAgedApp, decryptDocument, documentsOf } from "./ages/documents.ts"
import { measureBlocks } from "./ages/event-loop.ts"
import { createEcdhLimit, createHmacLimit } from "./ages/limits.ts"
import { measurePatterns } from "./ages/patterns.ts"
import { measureRequests } from "./ages/requests.ts"
import type { Row } from "./benchmark.ts"
import { type Contender, compare } from "./compare.ts"
import { createUnsignedAwsEncryptionSdkCipher } from "./token-ciphers/aws-encryption-sdk.ts"
import { createJoseCipher } from "./token-ciphers/jose.ts"

export const description = `Decrypting documents whose 16-byte values were encrypted at as many times as there are values, all with an ephemeral key or a salt
of their own: by clients, to the app's public key, or by the service, symmetrically. In one process, without HTTP, and no AES key is known from earlier requests.

- The limit of clients' values is one decompressed point, one ECDH and AES-256-GCM for each, that of symmetric values is one HMAC and AES-256-GCM for each, by the
  fastest calls that \`node:crypto\` has.
- \`jose\` (ECDH-ES) and the AWS Encryption SDK (raw AES keyring, without signatures) set up a key for every value, whatever its age.
- \`/decrypt\` is a request of 100 values to \`npm start\` on loopback.
- The longest block of the event loop is the median of the longest ones while a document of 10,000 values is decrypted, with the flags of \`npm start\`; \`ratio\` is 20 ms
  divided by it.
- Then requests for 50 of many clients' values: as a bulk import reads (200 ephemeral keys), as popular and rare values are read (Zipf), and as a scan reads, where every value is
  read once. With AES keys of earlier requests kept, as in service, and without. \`ratio\` is how many times as long it takes without.`

const POOL = 20_000
const SIZES = [1, 100, 10_000]
const UNIT = "µs/value"

const REQUIRED_TO_CLIENTS = 6
const REQUIRED_TO_ONE_AGE = 0.5
const REQUIRED_TO_ECDH = 0.85

export async function run(): Promise<readonly Row[]> {
  const aged = await createAgedApp()
  const pool = cardNumbers(POOL)
  const [byClients, symmetrically] = [await aged.byClients(pool), await aged.symmetrically(pool)]
  const rows: Row[] = []
  for (const size of SIZES) {
    const values = cardNumbers(size)
    const decrypting = (name: string, documents: readonly Buffer[]): Contender => {
      let next = 0
      return {
        name,
        items: size,
        run: () => decryptDocument(documents[next++ % documents.length] ?? Buffer.alloc(0), aged),
      }
    }
    const clients = decrypting("encrypted by clients", documentsOf(byClients, size))
    const symmetric = decrypting("encrypted symmetrically", documentsOf(symmetrically, size))
    const oneAge = documentsOf(await aged.symmetricallyAtOnce(values), size)
    const isTypical = size === 100
    rows.push(
      ...(await compareAll(
        size,
        [
          symmetric,
          { name: "HMAC and AES-GCM, the limit", items: size, run: createHmacLimit(values) },
          decrypting("encrypted symmetrically at one time", oneAge),
          clients,
          await jose(values),
          await awsEncryptionSdk(values),
        ],
        isTypical
          ? {
              [clients.name]: REQUIRED_TO_CLIENTS,
              "encrypted symmetrically at one time": REQUIRED_TO_ONE_AGE,
            }
          : {},
      )),
      ...(await compareAll(
        size,
        [clients, { name: "ECDH and AES-GCM, the limit", items: size, run: createEcdhLimit(values) }],
        isTypical ? { "ECDH and AES-GCM, the limit": REQUIRED_TO_ECDH } : {},
      )),
    )
  }
  return [...rows, ...(await measureRequests()), ...(await measureBlocks()), ...(await measurePatterns())]
}

async function compareAll(
  size: number,
  contenders: readonly [Contender, ...Contender[]],
  required: Readonly<Record<string, number>>,
): Promise<readonly Row[]> {
  const group = size === 1 ? "1 value" : `${size.toLocaleString("en")} values of as many ages`
  const results = await compare(contenders, { rounds: size > 100 ? 7 : 15 })
  return results.map(({ name, microseconds, ratio }, index) => ({
    name: `${group}: ${name}`,
    figure: microseconds,
    unit: UNIT,
    ratio: index === 0 ? null : ratio,
    requiredRatio: required[name] ?? null,
  }))
}

/** The time for a value does not depend on how many there are. */
const PEER_VALUES = 20

async function jose(values: readonly string[]): Promise<Contender> {
  const { name, encrypt, decrypt } = await createJoseCipher()
  const sample = values.slice(0, PEER_VALUES)
  const sealed = await encrypt(sample)
  return { name, items: sample.length, run: () => decrypt?.(sealed) }
}

async function awsEncryptionSdk(values: readonly string[]): Promise<Contender> {
  const { name, encrypt, decrypt } = createUnsignedAwsEncryptionSdkCipher()
  const sample = values.slice(0, PEER_VALUES)
  const sealed = await encrypt(sample)
  return { name, items: sample.length, run: () => decrypt?.(sealed) }
}
