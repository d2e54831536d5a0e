import {
  importStreamKey,
  openPart,
  type Range,
  type StartedStream,
  sealedRangeFor,
  sealPart,
  startStream,
} from "@sealway/tokens/portable"
import * as z from "zod"
import type { Answer, CallOptions, TestService } from "./service.ts"

const fileSchema = z.object({
  id: z.string(),
  role: z.string().nullable(),
  size: z.number(),
  status: z.string(),
  upload: z
    .object({ chunkBytes: z.number(), partBytes: z.number(), parts: z.number(), sealing: z.string() })
    .nullable(),
})
export type ShownFile = z.infer<typeof fileSchema>

const urlsSchema = z.object({
  data: z.array(z.object({ number: z.number(), size: z.number(), url: z.string() })),
})

export const grantSchema = z.object({
  size: z.number(),
  key: z.string(),
  headerBytes: z.number(),
  chunkBytes: z.number(),
  url: z.string(),
  expiresAt: z.number(),
})
export type FileGrant = z.infer<typeof grantSchema>

/** What a client does with files, step by step, without the SDK. */
export function createFileTransfer(service: TestService) {
  async function create(input: object, options: CallOptions = {}): Promise<ShownFile> {
    return readFile(await service.post("/files", input, options), 201)
  }

  /** Makes the header and the key of a file. @param role that the header names */
  async function start(file: ShownFile, role: string | null, options: CallOptions): Promise<StartedStream> {
    if (file.upload?.sealing === "symmetric") return keyOf(file.id, options)
    const { json } = await service.get("/keys", options)
    const { ecdhP256KeyUncompressed } = z.object({ ecdhP256KeyUncompressed: z.string() }).parse(json)
    const appPublicKey = Buffer.from(ecdhP256KeyUncompressed, "base64")
    const { chunkBytes = 65_536 } = file.upload ?? {}
    return startStream({ appPublicKey, debug: true, role, chunkBytes, encryptedAt: 1_795_000_000 })
  }

  /** Asks for the header and the key of a file of a symmetric app. */
  async function keyOf(id: string, options: CallOptions = {}): Promise<StartedStream> {
    const { json } = await service.call("POST", `/files/${id}/key`, undefined, options)
    const { header, key } = z.object({ header: z.string(), key: z.string() }).parse(json)
    const bytesOf = (base64: string) => Uint8Array.from(Buffer.from(base64, "base64"))
    return { header: bytesOf(header), key: bytesOf(key) }
  }

  /** Seals content as the parts of a file. @param role that the header names. Default: that of the file */
  async function seal(file: ShownFile, content: Uint8Array, role = file.role, options: CallOptions = {}) {
    const { chunkBytes = 65_536, partBytes = 8_388_608, parts = 1 } = file.upload ?? {}
    const { header, key } = await start(file, role, options)
    const streamKey = await importStreamKey(key)
    const sealed: Buffer[] = []
    for (let part = 0; part < parts; part++) {
      const start = part * partBytes
      const plaintext = Uint8Array.from(content.subarray(start, start + partBytes))
      const place = { header, chunkBytes, plaintextBytes: content.length, start }
      sealed.push(Buffer.from(await sealPart(streamKey, { ...place, plaintext })))
    }
    return sealed
  }

  async function urlsOf(id: string, parts: readonly number[], options: CallOptions = {}) {
    const { json } = await service.post(`/files/${id}/part-urls`, { parts }, options)
    return urlsSchema.parse(json).data
  }

  /** The ETags of the parts that were stored last, by file and number. */
  const stored = new Map<string, string[]>()

  async function put(url: string, bytes: Uint8Array): Promise<Response> {
    const { pathname, searchParams } = new URL(url)
    const answer = await fetch(url, { method: "PUT", body: new Uint8Array(bytes) })
    const id = pathname.split("/").at(-1) ?? ""
    const etag = answer.headers.get("etag")
    if (answer.ok && etag !== null) {
      const etags = stored.get(id) ?? []
      etags[Number(searchParams.get("partNumber")) - 1] = etag
      stored.set(id, etags)
    }
    return answer
  }

  /** Returns the ETags. */
  async function send(
    file: ShownFile,
    parts: readonly Uint8Array[],
    options: CallOptions = {},
  ): Promise<string[]> {
    const etags: string[] = []
    const urls = await urlsOf(
      file.id,
      parts.map((_, index) => index + 1),
      options,
    )
    for (const [index, part] of parts.entries()) {
      const response = await put(urls[index]?.url ?? "", part)
      if (response.status !== 200)
        throw new Error(`The part was refused: ${response.status} ${await response.text()}`)
      etags.push(response.headers.get("etag") ?? "")
    }
    return etags
  }

  /** @param etags default: those of the parts that were stored last */
  const complete = (
    id: string,
    options: CallOptions = {},
    etags = Array.from(stored.get(id) ?? [], (etag) => etag ?? "missing"),
  ) => service.post(`/files/${id}/complete`, { etags }, options)

  /** Uploads a file. */
  async function upload(
    content: Uint8Array,
    input: object = {},
    options: CallOptions = {},
  ): Promise<ShownFile> {
    const file = await create({ size: content.length, ...input }, options)
    await send(file, await seal(file, content, file.role, options), options)
    return readFile(await complete(file.id, options), 200)
  }

  const decrypt = (id: string, options: CallOptions = {}) =>
    service.call("POST", `/files/${id}/decrypt`, undefined, options)

  /** Reads a part of a file with a grant. Default: all of it. */
  async function read(grant: FileGrant, part: Range = { start: 0, end: grant.size }): Promise<Buffer> {
    const { headerBytes, chunkBytes, size: plaintextBytes } = grant
    const layout = { headerBytes, chunkBytes, plaintextBytes }
    const { start, end } = sealedRangeFor(layout, part)
    const response = await fetch(grant.url, { headers: { range: `bytes=${start}-${end - 1}` } })
    if (response.status !== 206 || response.body === null) throw new Error(`Not served: ${response.status}`)
    const key = await importStreamKey(Buffer.from(grant.key, "base64"))
    return Buffer.concat(await Array.fromAsync(openPart(key, layout, part, response.body)))
  }

  return { create, keyOf, seal, urlsOf, put, send, complete, upload, decrypt, read }
}

function readFile({ status, text, json }: Answer, expected: number): ShownFile {
  if (status !== expected) throw new Error(`The answer was ${status}: ${text}`)
  return fileSchema.parse(json)
}
