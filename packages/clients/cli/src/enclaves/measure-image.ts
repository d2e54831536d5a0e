import { createHash, type Hash, X509Certificate } from "node:crypto"
import { type FileHandle, open } from "node:fs/promises"
import { crc32 } from "node:zlib"
import { decode } from "cborg"
import { UsageFailure } from "../terminal/failures.ts"

/** PCRs of an image, SHA-384 in hexadecimal. */
export interface ImagePcrs {
  readonly pcr0: string
  readonly pcr1: string
  readonly pcr2: string
  /** Null for an image that is not signed. */
  readonly pcr8: string | null
}

const MAGIC = ".eif"
const HEADER_BYTES = 548
const CRC_BYTES = 4
const SECTION_HEADER_BYTES = 12
const VERSION_AT = 4
const MAX_VERSION = 4
const NUM_SECTIONS_AT = 26
const MAX_SIGNATURE_BYTES = 64 * 1_024
const PCR_BYTES = 48

const KERNEL = 1
const COMMAND_LINE = 2
const RAMDISK = 3
const SIGNATURE = 4
const METADATA = 5

/**
 * Measures an enclave image file (EIF, versions 1 to 4) as `nitro-cli describe-eif` does: PCR0 is of kernel, command line
 * and ramdisks, PCR1 of these with the first ramdisk only, PCR2 of the other ramdisks, PCR8 of the certificate that has
 * signed the image. The file is read once, in pieces.
 *
 * @throws UsageFailure when it is no such file, or is damaged
 */
export async function measureImage(path: string, shownAs: string): Promise<ImagePcrs> {
  const file = await open(path).catch((cause: unknown) => {
    throw new UsageFailure(`${shownAs} cannot be read.`, { cause })
  })
  try {
    return await measure(file)
  } catch (error) {
    if (!(error instanceof NoImageError)) throw error
    throw new UsageFailure(`${shownAs} is not an enclave image file, or is damaged: ${error.message}.`)
  } finally {
    await file.close()
  }
}

class NoImageError extends Error {
  override readonly name = "NoImageError"
}

async function measure(file: FileHandle): Promise<ImagePcrs> {
  const { size } = await file.stat()
  const header = await readAt(file, 0, HEADER_BYTES)
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC)
    throw new NoImageError("it does not begin with .eif")
  if (header.readUInt16BE(VERSION_AT) > MAX_VERSION) throw new NoImageError("its version is not known")
  let crc = crc32(header.subarray(0, HEADER_BYTES - CRC_BYTES))
  const [image, boot, application] = [newHash(), newHash(), newHash()]
  let certificate: Buffer | null = null
  let ramdisks = 0
  let sections = 0
  let at = HEADER_BYTES
  while (at < size) {
    const head = await readAt(file, at, SECTION_HEADER_BYTES)
    const type = head.readUInt16BE(0)
    const bytes = head.readBigUInt64BE(4)
    at += SECTION_HEADER_BYTES
    if (bytes > BigInt(size - at)) throw new NoImageError("it ends within a section")
    crc = crc32(head, crc)
    const length = Number(bytes)
    if (type === RAMDISK) ramdisks++
    const hashes = hashesOf(type, ramdisks, { image, boot, application })
    if (type === SIGNATURE && length > MAX_SIGNATURE_BYTES)
      throw new NoImageError("its signature is too large")
    if (type === SIGNATURE) certificate = readCertificate(await readAt(file, at, length))
    for await (const piece of piecesOf(file, at, length)) {
      crc = crc32(piece, crc)
      for (const hash of hashes) hash.update(piece)
    }
    at += length
    sections++
  }
  if (sections !== header.readUInt16BE(NUM_SECTIONS_AT)) throw new NoImageError("a section is missing")
  if (crc !== header.readUInt32BE(HEADER_BYTES - CRC_BYTES)) throw new NoImageError("its checksum is another")
  return {
    pcr0: extend(image),
    pcr1: extend(boot),
    pcr2: extend(application),
    pcr8: certificate === null ? null : extend(newHash().update(certificate)),
  }
}

function hashesOf(
  type: number,
  ramdisks: number,
  { image, boot, application }: { image: Hash; boot: Hash; application: Hash },
): readonly Hash[] {
  switch (type) {
    case KERNEL:
    case COMMAND_LINE:
      return [image, boot]
    case RAMDISK:
      return [image, ramdisks === 1 ? boot : application]
    case SIGNATURE:
    case METADATA:
      return []
    default:
      throw new NoImageError("it has a section of an unknown type")
  }
}

/** Extends a PCR of zeros, as a TPM does. */
function extend(hash: Hash): string {
  return newHash().update(Buffer.alloc(PCR_BYTES)).update(hash.digest()).digest("hex")
}

function newHash(): Hash {
  return createHash("sha384")
}

/** Returns the DER of the certificate in a signature section: CBOR, a list of `{signing_certificate, signature}`. */
function readCertificate(section: Buffer): Buffer {
  try {
    const [first]: readonly { readonly signing_certificate?: unknown }[] = decode(section)
    const pem = first?.signing_certificate
    // The tool of AWS writes bytes as a list of numbers.
    if (!(pem instanceof Uint8Array || Array.isArray(pem))) throw new TypeError("There is no certificate")
    return new X509Certificate(Buffer.from(pem)).raw
  } catch {
    throw new NoImageError("its signature cannot be read")
  }
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at)
  if (bytesRead < length) throw new NoImageError("it is too short")
  return buffer
}

async function* piecesOf(file: FileHandle, at: number, length: number): AsyncGenerator<Buffer> {
  const pieceBytes = 1_048_576
  for (let read = 0; read < length; read += pieceBytes) {
    yield await readAt(file, at + read, Math.min(pieceBytes, length - read))
  }
}
