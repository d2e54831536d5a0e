import { Sealway, SealwayBrowser } from "@sealway/sdk"
import {
  bytesOf,
  openFileWithWebCrypto,
  openTokenWithWebCrypto,
  type P256KeyPair,
} from "@sealway/tokens/testing/web-crypto"

/** What the suite is told, as JSON. */
export interface SuiteInput {
  readonly baseUrl: string
  readonly teamId: string
  readonly appId: string
  /** Null: this is a page, which has none. */
  readonly apiKey: string | null
  readonly vectors: {
    readonly keys: P256KeyPair
    readonly tokens: readonly { readonly token: string; readonly metadataHex: string | null }[]
    readonly files: readonly string[]
  }
  readonly document: unknown
}

/** What the suite found, as JSON. */
export interface SuiteResult {
  /** The text of each vector's value, and the bytes of each vector's file in base64. */
  readonly opened: { readonly tokens: readonly string[]; readonly files: readonly string[] }
  /** The document, encrypted without role, and with the role `open`. */
  readonly sealed: readonly unknown[]
  /** A thousand values, encrypted at once and by calls at the same time. */
  readonly many: readonly string[]
  /** Files of the bytes 0 to 199,999 modulo 251, in base64: from bytes, a blob and a stream. */
  readonly files: readonly string[]
  /** The names of the errors of what cannot be encrypted. */
  readonly refused: readonly string[]
  /** What decrypting on this runtime gave: the document, the names of errors, and the bytes of a file. Null without API key. */
  readonly decrypted: readonly unknown[] | null
}

/** Runs on any runtime, with nothing but what browsers have. */
export async function runSuite(input: SuiteInput): Promise<SuiteResult> {
  const { baseUrl, teamId, appId, apiKey, vectors, document } = input
  const browser = new SealwayBrowser({ teamId, appId, baseUrl, allowHttp: true })
  const content = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251)
  const tokens: string[] = []
  for (const { token, metadataHex } of vectors.tokens) {
    const opened = await openTokenWithWebCrypto(token, vectors.keys)
    if (opened.metadataHex !== metadataHex) throw new Error("The metadata of a vector differs")
    tokens.push(opened.text)
  }
  const opened = await Promise.all(
    vectors.files.map(async (file) => base64Of(await openFileWithWebCrypto(bytesOf(file), vectors.keys))),
  )
  const numbers = Array.from({ length: 500 }, (_, index) => index)
  const atOnce = await Promise.all(numbers.map((number) => browser.encrypt(number)))
  return {
    opened: { tokens, files: opened },
    sealed: [await browser.encrypt(document), await browser.encrypt(document, "open")],
    many: [...(await browser.encrypt(numbers)), ...atOnce],
    files: await Promise.all([
      browser.encrypt(content).then(base64Of),
      browser.encrypt(new Blob([content])).then(async (blob) => base64Of(await read(blob.stream()))),
      browser.encrypt(new Blob([content]).stream()).then(async (stream) => base64Of(await read(stream))),
    ]),
    refused: await Promise.all(
      [{ a: 1n }, { a: "\ud800" }, { a: new Map() }, { a: new Uint8Array(1) }].map((data) =>
        nameOfError(browser.encrypt(data)),
      ),
    ),
    decrypted: apiKey === null ? null : await decryptHere({ ...input, apiKey }, content),
  }
}

async function decryptHere(
  { baseUrl, appId, apiKey, document }: SuiteInput & { readonly apiKey: string },
  content: Uint8Array,
): Promise<unknown[]> {
  const sealway = new Sealway({ appId, apiKey, baseUrl, allowHttp: true })
  const sealed = await sealway.encrypt(document, "open")
  const file = await sealway.encrypt(content)
  return [
    await sealway.decrypt(sealed),
    await nameOfError(sealway.decrypt({ card: await sealway.encrypt("x", "closed") })),
    base64Of((await sealway.decrypt(file)) as Uint8Array),
  ]
}

async function nameOfError(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (error: unknown) => (error instanceof Error ? error.name : "unknown"),
  )
}

async function read(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

function base64Of(bytes: Uint8Array): string {
  let text = ""
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text)
}
