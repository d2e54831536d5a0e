import { crc32 } from "node:zlib"
import { encode } from "cborg"

export interface ImageSection {
  /** 1: kernel, 2: command line, 3: ramdisk, 4: signature, 5: metadata. */
  readonly type: number
  readonly content: Uint8Array
}

/** The sections of an image, without a signature. */
export const IMAGE_SECTIONS: readonly ImageSection[] = [
  { type: 1, content: Buffer.from("kernel") },
  { type: 2, content: Buffer.from("console=none") },
  { type: 5, content: Buffer.from("{}") },
  { type: 3, content: Buffer.from("boot") },
  { type: 3, content: Buffer.alloc(3_000_000, "application") },
  { type: 3, content: Buffer.from("more") },
]

/** A signature section, as the tool of AWS writes it: bytes are lists of numbers. */
export function signatureSection(pem: string): ImageSection {
  const signature = { signing_certificate: [...Buffer.from(pem)], signature: [1, 2, 3] }
  return { type: 4, content: encode([signature]) }
}

/** Writes an enclave image file: a header of 548 bytes, then sections, each with a header of 12. */
export function writeEnclaveImage(sections: readonly ImageSection[], version = 4): Buffer {
  const header = Buffer.alloc(548)
  header.write(".eif", 0, "latin1")
  header.writeUInt16BE(version, 4)
  header.writeUInt16BE(sections.length, 26)
  const body = Buffer.concat(
    sections.flatMap(({ type, content }) => {
      const head = Buffer.alloc(12)
      head.writeUInt16BE(type, 0)
      head.writeBigUInt64BE(BigInt(content.length), 4)
      return [head, content]
    }),
  )
  header.writeUInt32BE(crc32(body, crc32(header.subarray(0, 544))), 544)
  return Buffer.concat([header, body])
}
