import { randomBytes } from "node:crypto"
import { createFormatCipher, PRESETS } from "@sealway/format-cipher"
import { createKeyAgreement, createSealingKeySource, generatePrivateKey } from "@sealway/tokens"
import type { Row } from "./benchmark.ts"
import { type Contender, compare, microsecondsPerItem } from "./compare.ts"
import { startFastFpe } from "./formats/fastfpe.ts"
import { openConnections } from "./gate/connections.ts"
import { lowerQuartile } from "./lower-quartile.ts"
import { cpuMicrosecondsOf } from "./measure-process.ts"
import { createRole, headersOf, post, type Server, serverSchema } from "./sealway-requests.ts"
import { startSealway } from "./server-process.ts"
import { createNodeCryptoValueCipher } from "./token-ciphers/node-crypto.ts"

const BATCH = 1_000
const WANTED_PER_SECOND = 100_000
const REQUIRED_OF_THE_ENGINE = 0.5
const ROUNDS = 12
const REQUESTS = 100
const SLICE_MS = 300

export const description = `Card numbers in batches of ${BATCH.toLocaleString("en")}, to tokens that are card numbers (FF1), on one thread.

- The first lines are the engine alone. Of its own line, \`ratio\` is its values in a second divided by ${WANTED_PER_SECOND.toLocaleString("en")}; of the others, how
  many times as long as the engine they take: sealing the same values as \`ev:\` tokens with a key that is kept, AES-256-GCM by
  \`node:crypto\` alone, and FF1 of \`fastfpe\`, a library of PyPI in Rust, if Python has it.
- *By the API* is the CPU time of the process of \`npm start\` for a value; \`ratio\` is the CPU time of the engine alone
  divided by that, each what a quarter of the turns take at most, as in gate. To decrypt, a policy decides on each request, and the access log records it.`

export async function run(): Promise<readonly Row[]> {
  const numbers = Array.from({ length: BATCH }, (_, index) => cardNumber(index))
  const key = randomBytes(32)
  const engine = createEngine(key, numbers)
  return [...(await compareEngine(engine.encrypt, key, numbers)), ...(await measureApi(engine, numbers))]
}

interface Engine {
  readonly encrypt: Contender
  readonly decrypt: Contender
}

function createEngine(key: Uint8Array, numbers: readonly string[]): Engine {
  const format = PRESETS["card-number"]
  if (format === undefined) throw new Error("There is no preset card-number")
  const cipher = createFormatCipher(format, key)
  const tokens = cipher.encrypt(numbers)
  if (cipher.decrypt(tokens).join() !== numbers.join()) throw new Error("The values do not come back")
  const items = numbers.length
  return {
    encrypt: { name: "Sealway", items, run: () => cipher.encrypt(numbers) },
    decrypt: { name: "Sealway", items, run: () => cipher.decrypt(tokens) },
  }
}

async function compareEngine(
  engine: Contender,
  key: Uint8Array,
  numbers: readonly string[],
): Promise<readonly Row[]> {
  const source = createSealingKeySource({
    appPublicKey: createKeyAgreement("prime256v1", generatePrivateKey("prime256v1")).publicKey,
    debug: false,
    now: () => performance.now(),
  })
  const aes = createNodeCryptoValueCipher()
  const items = numbers.length
  const python = await startFastFpe(key, numbers)
  if (python === null) console.error("fastfpe is left out: python3 does not have it.")
  try {
    const results = await compare([
      engine,
      {
        name: "Sealway, as ev: tokens",
        items,
        run: () => {
          const sealing = source.current(items)
          return numbers.map((number) => sealing.seal("string", number))
        },
      },
      { name: "AES-256-GCM by node:crypto", items, run: () => aes.encrypt(numbers) },
      ...(python === null ? [] : [python]),
    ])
    return results.map(({ name, microseconds, ratio }, index) => {
      const perSecond = 1_000_000 / microseconds
      return {
        name: `encrypt: ${name}`,
        figure: perSecond,
        unit: "values/s",
        ratio: index === 0 ? perSecond / WANTED_PER_SECOND : ratio,
        requiredRatio: index === 0 ? 1 : null,
      }
    })
  } finally {
    python?.stop()
  }
}

async function measureApi(engine: Engine, numbers: readonly string[]): Promise<readonly Row[]> {
  const sealway = startSealway()
  try {
    const server = serverSchema.parse(await sealway.nextLine())
    await createFormat(server)
    const values = JSON.stringify(numbers)
    const bodies = { encrypt: values, decrypt: await post(server, "/formats/cards/encrypt", values) }
    const rows: Row[] = []
    for (const way of ["encrypt", "decrypt"] as const) {
      const url = `${server.url}/formats/cards/${way}`
      const target = { url, headers: headersOf(server), body: bodies[way] }
      const connections = await openConnections(target)
      await connections.send(REQUESTS)
      const [alone, byApi]: [number[], number[]] = [[], []]
      for (let round = 0; round < ROUNDS; round++) {
        alone.push(await microsecondsPerItem(engine[way], SLICE_MS, cpuMs))
        const before = await cpuMicrosecondsOf(sealway.pid)
        await connections.send(REQUESTS)
        byApi.push(((await cpuMicrosecondsOf(sealway.pid)) - before) / (REQUESTS * BATCH))
      }
      connections.close()
      const figure = lowerQuartile(byApi)
      rows.push({
        name: `${way} by the API, CPU`,
        figure,
        unit: "µs/value",
        ratio: lowerQuartile(alone) / figure,
        requiredRatio: REQUIRED_OF_THE_ENGINE,
      })
    }
    return rows
  } finally {
    sealway.stop()
  }
}

async function createFormat(server: Server): Promise<void> {
  await createRole(server, "cards", [{ conditions: { sources: ["api"] } }])
  await post(server, "/formats", JSON.stringify({ name: "cards", role: "cards", preset: "card-number" }))
}

/** The CPU time of this process. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns a number of 16 digits with the check digit that ISO/IEC 7812-1 asks for. */
function cardNumber(index: number): string {
  const digits = String(424_242_000_000_000 + index * 7_919)
  const sum = [...digits].reduce((total, digit, place) => {
    const doubled = place % 2 === 0 ? 2 * Number(digit) : Number(digit)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return digits + String((10 - (sum % 10)) % 10)
}
