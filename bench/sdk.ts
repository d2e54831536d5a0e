import { generateKeyPairSync } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { sealing } from "@sealway/sdk/sealing/node"
import { build } from "esbuild"
import { findChromium, startChromium } from "../test/support/chromium.ts"
import type { Row } from "./benchmark.ts"
import { type Comparison, compare } from "./compare.ts"
import { createSdkSealer } from "./sdk/sealway-sdk.ts"
import { createEvervaultCipher } from "./token-ciphers/evervault.ts"
import { createNodeCryptoCipher, createNodeCryptoValueCipher } from "./token-ciphers/node-crypto.ts"

export const description = `Encrypting documents of 16-byte values with the SDK, on one thread, in microseconds for each value. The first line of a
group is the SDK's; \`ratio\` is how many times as long as the SDK the others take. The app's public key is known: fetching
it once in five minutes is not measured.

- The limit in Node.js is what one ECDH a document and AES-256-GCM take by the fastest calls that \`node:crypto\` has,
  without format and base64. \`with a kept key\`, both sides have their ephemeral key already, as the SDK has for a minute.
- The limit in Chromium is the same with WebCrypto, all values at once. WebCrypto hands each value to a thread.
- \`@evervault/sdk\` keeps an ephemeral key for 15 seconds, and hands each value to a thread.`

const DOCUMENT_SIZES = [1, 100, 10_000]
/** More than usual: threads of WebCrypto and collections of garbage make single rounds uneven. */
const ROUNDS = { rounds: 75 }
const REQUIRED_IN_NODE = 0.7
const REQUIRED_IN_BROWSER = 0.8

export async function run(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const size of DOCUMENT_SIZES) {
    const values = Array.from({ length: size }, (_, index) => String(4_242_424_200_000_000 + index))
    const document = size === 1 ? "1 value" : `${size.toLocaleString("en")} values`
    rows.push(
      ...(await compareInNode(document, values, false)),
      ...(await compareInNode(document, values, true)),
    )
    rows.push(...(await compareInChromium(document, values)))
  }
  return rows
}

async function compareInNode(
  document: string,
  values: readonly string[],
  keepsKey: boolean,
): Promise<readonly Row[]> {
  const sealer = createSdkSealer(sealing, publicPoint(), keepsKey)
  const limit = keepsKey ? createNodeCryptoValueCipher() : createNodeCryptoCipher()
  const evervault = createEvervaultCipher()
  const items = values.length
  const sample = values.slice(0, evervault.sampleSize)
  const results = await compare(
    [
      { name: "Sealway's SDK", items, run: () => sealer.encrypt(values) },
      { name: "node:crypto alone, the limit", items, run: () => limit.encrypt(values) },
      ...(keepsKey
        ? [{ name: "@evervault/sdk", items: sample.length, run: () => evervault.encrypt(sample) }]
        : []),
    ],
    ROUNDS,
  )
  // A single value takes a few microseconds then, much of it for the promise that every call returns.
  const required = keepsKey && values.length === 1 ? null : REQUIRED_IN_NODE
  return rowsOf(`Node.js, ${document}${keepsKey ? ", with a kept key" : ""}`, results, required)
}

/** Returns nothing when there is no Chromium. */
async function compareInChromium(document: string, values: readonly string[]): Promise<readonly Row[]> {
  const program = findChromium()
  if (program === null) return []
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "sdk/page.ts")],
    bundle: true,
    format: "esm",
    platform: "neutral",
    conditions: [],
    write: false,
  })
  const script = outputFiles.map(({ text }) => text).join("")
  const server = createServer(({ url }, response) => {
    const isScript = url === "/page.js"
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html").end(isScript ? script : "")
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  try {
    const { port } = server.address() as { port: number }
    await using browser = await startChromium(program)
    const page = await browser.open(`http://127.0.0.1:${port}/`)
    while ((await page.evaluate("location.port")) !== String(port)) await setTimeout(10)
    const call = `import("/page.js").then((page) => page.compareInBrowser(${JSON.stringify(values)}))`
    const results = (await page.evaluate(call)) as Comparison[]
    return rowsOf(`Chromium, ${document}`, results, REQUIRED_IN_BROWSER)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

function rowsOf(group: string, results: readonly Comparison[], required: number | null): Row[] {
  return results.map(({ name, microseconds, ratio }, index) => ({
    name: `${group}: ${name}`,
    figure: microseconds,
    unit: "µs/value",
    ratio: index === 0 ? null : ratio,
    requiredRatio: name.endsWith("the limit") ? required : null,
  }))
}

/** Returns the point of a new app, uncompressed. */
function publicPoint(): Uint8Array {
  const { x = "", y = "" } = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).publicKey.export({
    format: "jwk",
  })
  return Buffer.concat([Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")])
}
