import type { CipherGCM } from "node:crypto"
import { crc32 } from "node:zlib"
import { finish, type Work } from "@sealway/kernel"
import { piecesOf } from "../crypto/pieces-of.ts"
import { TAG_BYTES } from "../crypto/sizes.ts"
import type { SealingKey } from "../values/sealing-key.ts"
import { symmetricFileData } from "./file-header.ts"
import { FILE_HEADER_BYTES, FILE_OVERHEAD_BYTES, writeFileCrc, writeFileHeader } from "./file-layout.ts"

/** Seals a file: as version 3 to a public key, as version 4 symmetrically. The result is 75 bytes longer. */
export function sealFile(bytes: Uint8Array, key: SealingKey): Buffer<ArrayBuffer> {
  return finish(sealFileInSteps(bytes, key))
}

/** `sealFile`, in steps. The caller must not change the bytes until it is done. */
export function* sealFileInSteps(bytes: Uint8Array, key: SealingKey): Work<Buffer<ArrayBuffer>> {
  const { header, cipher } = startFile(key)
  const sealed = Buffer.allocUnsafe(bytes.length + FILE_OVERHEAD_BYTES)
  sealed.set(header)
  let crc = crc32(header)
  let end = FILE_HEADER_BYTES
  for (const piece of piecesOf(bytes)) {
    if (end > FILE_HEADER_BYTES) yield
    const ciphertext = cipher.update(piece)
    sealed.set(ciphertext, end)
    crc = crc32(ciphertext, crc)
    end += ciphertext.length
  }
  cipher.final()
  const tag = cipher.getAuthTag()
  sealed.set(tag, end)
  sealed.set(writeFileCrc(crc32(tag, crc)), end + TAG_BYTES)
  return sealed
}

/** A file that is being sealed, chunk by chunk. Nothing of it is kept. */
export interface FileInProgress {
  /** What the sealed file begins with. */
  readonly header: Uint8Array<ArrayBuffer>
  /** Returns the ciphertext of a chunk. */
  update(chunk: Uint8Array): Buffer<ArrayBuffer>
  /** Returns what the sealed file ends with: the tag and the CRC. */
  end(): Buffer<ArrayBuffer>
}

/** Starts a file like that of `sealFile`. */
export function sealFileInChunks(key: SealingKey): FileInProgress {
  const { header, cipher } = startFile(key)
  let crc = crc32(header)
  return {
    header,
    update(chunk) {
      const ciphertext = cipher.update(chunk)
      crc = crc32(ciphertext, crc)
      return ciphertext
    },
    end() {
      cipher.final()
      const tag = cipher.getAuthTag()
      return Buffer.concat([tag, writeFileCrc(crc32(tag, crc))])
    },
  }
}

/** Seals a file like `sealFile`, chunk by chunk: yields one chunk for each that arrives and keeps none. */
export async function* sealFileStream(
  source: AsyncIterable<Uint8Array>,
  key: SealingKey,
): AsyncGenerator<Buffer, void, void> {
  const file = sealFileInChunks(key)
  yield Buffer.from(file.header.buffer)
  for await (const chunk of source) if (chunk.length > 0) yield file.update(chunk)
  yield file.end()
}

interface StartedFile {
  readonly header: Uint8Array<ArrayBuffer>
  readonly cipher: CipherGCM
}

function startFile(key: SealingKey): StartedFile {
  const { version, iv, cipher, appPublicKey } = key.startFile()
  const header = writeFileHeader(version, key.debug, key.keySegment, iv)
  return {
    header,
    cipher: cipher.setAAD(version === 3 ? appPublicKey : symmetricFileData(header, appPublicKey)),
  }
}
