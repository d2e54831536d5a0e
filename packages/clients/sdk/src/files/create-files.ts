import {
  DamagedFileError as DamagedStreamError,
  freeBuffer,
  importStreamKey,
  openPart,
  type StartedStream,
  sealedRangeFor,
  sealPart,
  startStream,
} from "@sealway/tokens/portable"
import {
  completeFile,
  createFile,
  createFileKey,
  createFilePartUrls,
  decryptFile,
} from "../api/generated/index.ts"
import { decodeBase64 } from "../base64.ts"
import { ApiError, ConnectionError, DamagedFileError } from "../errors/errors.ts"
import type { CallOptions, Transport } from "../requests/transport.ts"
import type { AppKey } from "../sealing/sealer.ts"
import type { Files } from "./files.ts"
import type { AskStorage } from "./storage/storage.ts"

export interface FilesOptions {
  readonly transport: Transport
  readonly appKey: () => AppKey | Promise<AppKey>
  readonly askStorage: AskStorage
  /** The address of the service. */
  readonly base: string
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
}

const ATTEMPTS = 4
const FIRST_PAUSE_MS = 250

export function createFiles({ transport, appKey, askStorage, base, wallClock }: FilesOptions): Files {
  const schemes = new Set(["https:", new URL(base).protocol])

  /** A URL of the storage is a permission, which goes over http only if all requests do. */
  function requireStorage(url: string | undefined): string {
    if (url !== undefined && URL.canParse(url) && schemes.has(new URL(url).protocol)) return url
    throw new ConnectionError("unexpected-response", "The answer has no address of the storage.")
  }

  /**
   * Sends a part with a URL of its own each time: one that failed may have expired. Frees the part.
   *
   * @returns its ETag
   */
  async function send(
    fileId: string,
    number: number,
    body: Uint8Array<ArrayBuffer>,
    options: CallOptions,
  ): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      const { data } = await createFilePartUrls(transport, { fileId, body: { parts: [number] } }, options)
      const request = { method: "PUT", body, ...signalOf(options) } as const
      const answer = await askStorage(requireStorage(data[0]?.url), request).catch((error: unknown) => {
        options.signal?.throwIfAborted()
        if (attempt === ATTEMPTS) {
          throw new ConnectionError("unexpected-response", "The storage cannot be reached.", { cause: error })
        }
        return null
      })
      await answer?.discard()
      if (answer?.status === 200 && answer.etag !== null) {
        // The connection of an attempt that failed may still read it.
        if (attempt === 1 && answer.isSent) freeBuffer(body.buffer)
        return answer.etag
      }
      if (attempt === ATTEMPTS)
        throw new ConnectionError("unexpected-response", "The storage does not accept the file.")
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt))
      options.signal?.throwIfAborted()
    }
  }

  async function makeKey(role: string | null, chunkBytes: number): Promise<StartedStream> {
    const { ecdhP256KeyUncompressed, isSandbox } = await appKey()
    return startStream({
      debug: isSandbox,
      role,
      chunkBytes,
      encryptedAt: Math.floor(wallClock() / 1000),
      appPublicKey: bytesOf(ecdhP256KeyUncompressed),
    })
  }

  async function askForKey(fileId: string, options: CallOptions): Promise<StartedStream> {
    const { header, key } = await createFileKey(transport, { fileId }, options)
    return { header: bytesOf(header), key: bytesOf(key) }
  }

  return {
    async upload(content, { name, role, onProgress, ...options } = {}) {
      if (!(content instanceof Blob))
        throw new TypeError("The content must be a Blob or a File: new Blob([bytes]) for bytes.")
      const described = {
        ...(name !== undefined && { name }),
        ...(role !== undefined && { role }),
        ...(content.type !== "" && { contentType: content.type }),
      }
      const { id: fileId, upload } = await createFile(
        transport,
        { body: { ...described, size: content.size } },
        options,
      )
      const etags: string[] = []
      const complete = () => completeFile(transport, { fileId, body: { etags } }, withoutKey(options))
      if (upload === null) return complete()
      const { chunkBytes, partBytes, parts } = upload
      const started =
        upload.sealing === "symmetric"
          ? await askForKey(fileId, withoutKey(options))
          : await makeKey(role ?? null, chunkBytes)
      const { header } = started
      const key = await importStreamKey(started.key)
      for (let number = 1; number <= parts; number++) {
        const start = (number - 1) * partBytes
        const plaintext = new Uint8Array(await content.slice(start, start + partBytes).arrayBuffer())
        const part = { header, chunkBytes, plaintextBytes: content.size, start, plaintext }
        const body = await sealPart(key, part)
        freeBuffer(plaintext.buffer)
        try {
          etags.push(await send(fileId, number, body, withoutKey(options)))
        } catch (error) {
          // Another call with the same Idempotency-Key has completed it.
          if (error instanceof ApiError && error.code === "not-found") return complete()
          throw error
        }
        onProgress?.(Math.min(start + partBytes, content.size))
      }
      return complete()
    },

    async *download(fileId, { start = 0, end, freesPieces = false, ...options } = {}) {
      const grant = await decryptFile(transport, { fileId }, options)
      const { headerBytes, chunkBytes, size: plaintextBytes } = grant
      const layout = { headerBytes, chunkBytes, plaintextBytes }
      const part = { start, end: Math.min(end ?? plaintextBytes, plaintextBytes) }
      if (!(start >= 0 && start <= part.end)) throw new RangeError("The range is not within the file.")
      const sealed = sealedRangeFor(layout, part)
      const headers = { range: `bytes=${sealed.start}-${sealed.end - 1}` }
      const answer = await askStorage(requireStorage(grant.url), {
        method: "GET",
        headers,
        ...signalOf(options),
      })
      if (answer.status !== 206) {
        await answer.discard()
        throw new ConnectionError("unexpected-response", "The storage does not serve the file.")
      }
      const key = await importStreamKey(bytesOf(grant.key))
      try {
        for await (const piece of openPart(key, layout, part, answer.body)) {
          yield piece
          if (freesPieces) freeBuffer(piece.buffer)
        }
      } catch (error) {
        throw error instanceof DamagedStreamError ? new DamagedFileError() : error
      }
    },
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64(base64)
  if (bytes === null) throw new ConnectionError("unexpected-response", "The answer has no key.")
  return bytes
}

/** The key of a call belongs to its first request. */
function withoutKey({ idempotencyKey: _, ...options }: CallOptions): CallOptions {
  return options
}

function signalOf({ signal }: CallOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}
