import type { Row } from "./benchmark.ts"
import { type Contender, compare } from "./compare.ts"
import {
  createAwsEncryptionSdkCipher,
  createUnsignedAwsEncryptionSdkCipher,
} from "./token-ciphers/aws-encryption-sdk.ts"
import { createEvervaultCipher, createEvervaultValueSealer } from "./token-ciphers/evervault.ts"
import { createConcurrentJoseCipher, createJoseCipher } from "./token-ciphers/jose.ts"
import { documentOfValues, measurable } from "./token-ciphers/measurable.ts"
import { createNodeCryptoCipher } from "./token-ciphers/node-crypto.ts"
import { createSealwayCipher, createSealwayValueSealer } from "./token-ciphers/sealway.ts"

export const description = `Encrypting and decrypting the 16-byte values of a document, on one thread, in microseconds for each value. Every library
is used as its documentation says, with keys imported once. The first line of a group is Sealway's; \`ratio\` is how many
times as long as Sealway the others take.

- The limit is what one ECDH a document and AES-256-GCM take by the fastest calls that \`node:crypto\` has.
- Sealway makes a new ephemeral key for every document here. In service it keeps one for up to a minute, as the last
  group shows, where values come one at a time.
- \`jose\` and the AWS Encryption SDK set up a key for every value, one value after the other. Beginning all values of a
  document at once lets \`jose\` use several cores.
- The AWS Encryption SDK signs every message unless told otherwise. Sealway does not sign.
- \`@evervault/sdk\` keeps an ephemeral key for 15 seconds, and decrypts only by asking a server.
- \`@evervault/sdk\` and \`jose\` hand each value to threads and wait. Waking a thread is a large part of their time, and
  takes less on a machine that is busy with something else: their ratios are then about half of those here.`

/** The required ratios on documents of 100 values, by the other's name. */
const REQUIRED_AT_100: ReadonlyMap<string, number> = new Map([
  ["node:crypto alone, the limit", 0.7],
  ["@evervault/sdk", 8],
  ["jose", 60],
  ["@aws-crypto/client-node", 200],
])
const REQUIRED_FOR_SINGLE_VALUES = 5
const DOCUMENT_SIZES = [1, 100, 10_000]
const UNIT = "µs/value"

export async function run(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const size of DOCUMENT_SIZES) {
    const values = documentOfValues(size)
    const sealway = await measurable(createSealwayCipher(), values)
    const others = [
      await measurable(createNodeCryptoCipher(), values),
      await measurable(createEvervaultCipher(), values),
      await measurable(await createJoseCipher(), values),
      await measurable(await createConcurrentJoseCipher(), values),
      await measurable(createAwsEncryptionSdkCipher(), values),
      await measurable(createUnsignedAwsEncryptionSdkCipher(), values),
    ]
    const required = size === 100 ? REQUIRED_AT_100 : new Map<string, number>()
    const suffix = size === 1 ? "a document of 1 value" : `a document of ${size.toLocaleString("en")} values`
    rows.push(
      ...(await compareAll(
        `encrypt ${suffix}`,
        sealway.encrypt,
        others.map(({ encrypt }) => encrypt),
        required,
      )),
      ...(await compareAll(
        `decrypt ${suffix}`,
        sealway.decrypt,
        others.map(({ decrypt }) => decrypt),
        required,
      )),
    )
  }
  return [...rows, ...(await compareSingleValues())]
}

/** Compares one value per call, with ephemeral keys kept on both sides. */
function compareSingleValues(): Promise<readonly Row[]> {
  const value = "4242424242424242"
  const times = Array.from({ length: 100 })
  const seal = createSealwayValueSealer()
  const evervault = createEvervaultValueSealer()
  return compareAll(
    "encrypt values one at a time",
    { name: "Sealway", items: times.length, run: () => times.map(() => seal(value)) },
    [
      {
        name: "@evervault/sdk",
        items: times.length,
        async run() {
          for (const _ of times) await evervault(value)
        },
      },
    ],
    new Map([["@evervault/sdk", REQUIRED_FOR_SINGLE_VALUES]]),
  )
}

async function compareAll(
  group: string,
  sealway: Contender | null,
  others: readonly (Contender | null)[],
  required: ReadonlyMap<string, number>,
): Promise<readonly Row[]> {
  if (sealway === null) return []
  const results = await compare([sealway, ...others.filter((other) => other !== null)])
  return results.map(({ name, microseconds, ratio }, index) => ({
    name: `${group}: ${name}`,
    figure: microseconds,
    unit: UNIT,
    ratio: index === 0 ? null : ratio,
    requiredRatio: required.get(name) ?? null,
  }))
}
