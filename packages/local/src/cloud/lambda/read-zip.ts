import { promisify } from "node:util"
import { crc32, inflateRaw } from "node:zlib"

/** A file of a zip. */
export interface ZipFile {
  /** Relative, with `/` between its folders; leads nowhere but below where it is unpacked. */
  readonly path: string
  readonly executable: boolean
  /** @throws InvalidZipError when the bytes are damaged */
  read(): Promise<Buffer>
}

/** The bytes are no zip that we unpack. The message tells why, without names. */
export class InvalidZipError extends Error {
  override readonly name = "InvalidZipError"
  /** True when it is sound and too large. */
  readonly tooLarge: boolean

  constructor(message: string, { tooLarge = false, ...options }: ErrorOptions & { tooLarge?: boolean } = {}) {
    super(message, options)
    this.tooLarge = tooLarge
  }
}

export interface ZipLimits {
  readonly maxEntries: number
  /** All files together, unpacked. */
  readonly maxBytes: number
}

const inflate = promisify(inflateRaw)

const END_SIGNATURE = 0x06054b50
const ENTRY_SIGNATURE = 0x02014b50
const LOCAL_SIGNATURE = 0x04034b50
const END_BYTES = 22
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30
const STORED = 0
const DEFLATED = 8
const ENCRYPTED_FLAG = 1
const UNIX = 3
const FILE_TYPE_MASK = 0o170000
const REGULAR = 0o100000
const FOLDER = 0o040000

/**
 * Lists the files of a zip (PKWARE APPNOTE.TXT; not Zip64, which code of 250 MB does not need). Unpacks nothing yet:
 * each file's size is bounded by what its entry says, and those sizes together by the limits.
 *
 * @throws InvalidZipError when it is damaged, encrypted, beyond the limits, or holds a path that leads out of its folder,
 *   one path twice, or anything but files and folders (symbolic links)
 */
export function listZip(zip: Buffer, { maxEntries, maxBytes }: ZipLimits): ZipFile[] {
  const end = findEnd(zip)
  const entries = zip.readUInt16LE(end + 10)
  const start = zip.readUInt32LE(end + 16)
  if (entries > maxEntries) throw new InvalidZipError("The zip holds too many entries.", { tooLarge: true })
  const files: ZipFile[] = []
  const paths = new Set<string>()
  let bytes = 0
  let at = start
  for (let left = entries; left > 0; left--) {
    if (at + ENTRY_BYTES > end || zip.readUInt32LE(at) !== ENTRY_SIGNATURE) throw damaged()
    const nameEnd = at + ENTRY_BYTES + zip.readUInt16LE(at + 28)
    if (nameEnd > end) throw damaged()
    const path = decodePath(zip.subarray(at + ENTRY_BYTES, nameEnd))
    const mode = zip.readUInt8(at + 5) === UNIX ? zip.readUInt16LE(at + 40) : 0
    const type = mode & FILE_TYPE_MASK
    if (type !== 0 && type !== REGULAR && type !== FOLDER) {
      throw new InvalidZipError("The zip holds something other than files and folders.")
    }
    if (!path.endsWith("/") && type !== FOLDER) {
      if (paths.has(path.toLowerCase())) throw new InvalidZipError("The zip holds one path twice.")
      paths.add(path.toLowerCase())
      bytes += zip.readUInt32LE(at + 24)
      if (bytes > maxBytes) throw new InvalidZipError("The zip's files are too large.", { tooLarge: true })
      const entryAt = at
      files.push({ path, executable: (mode & 0o100) !== 0, read: () => readEntry(zip, entryAt) })
    }
    at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return files
}

/** The record is the last thing in a zip but for a comment of up to 65,535 bytes. */
function findEnd(zip: Buffer): number {
  for (let at = zip.length - END_BYTES; at >= Math.max(0, zip.length - END_BYTES - 0xffff); at--) {
    if (zip.readUInt32LE(at) === END_SIGNATURE && at + END_BYTES + zip.readUInt16LE(at + 20) === zip.length) {
      return at
    }
  }
  throw damaged()
}

function decodePath(bytes: Buffer): string {
  const path = bytes.toString()
  const parts = path.replace(/\/$/, "").split("/")
  const bad = parts.some((part) => part === "" || part === "." || part === ".." || part.length > 255)
  // Drive letters and backslashes lead out of the folder on Windows; U+FFFD is what was no UTF-8.
  if (bad || /[\\:\0\ufffd]/.test(path) || path.length > 1_024) {
    throw new InvalidZipError("The zip holds a path that cannot be unpacked.")
  }
  return path
}

async function readEntry(zip: Buffer, at: number): Promise<Buffer> {
  const flags = zip.readUInt16LE(at + 8)
  const method = zip.readUInt16LE(at + 10)
  const packedBytes = zip.readUInt32LE(at + 20)
  const bytes = zip.readUInt32LE(at + 24)
  const local = zip.readUInt32LE(at + 42)
  if (flags & ENCRYPTED_FLAG) throw new InvalidZipError("The zip is encrypted.")
  if (local + LOCAL_BYTES > zip.length || zip.readUInt32LE(local) !== LOCAL_SIGNATURE) throw damaged()
  const start = local + LOCAL_BYTES + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
  if (start + packedBytes > zip.length) throw damaged()
  const packed = zip.subarray(start, start + packedBytes)
  const content = await unpack(packed, method, bytes)
  if (content.length !== bytes || crc32(content) !== zip.readUInt32LE(at + 16)) throw damaged()
  return content
}

async function unpack(packed: Buffer, method: number, bytes: number): Promise<Buffer> {
  if (method === STORED) return packed
  if (method !== DEFLATED) throw new InvalidZipError("The zip uses a compression other than Deflate.")
  try {
    return await inflate(packed, { maxOutputLength: Math.max(bytes, 1) })
  } catch (error) {
    throw damaged(error)
  }
}

function damaged(cause?: unknown): InvalidZipError {
  return new InvalidZipError("The zip is damaged.", { cause })
}
