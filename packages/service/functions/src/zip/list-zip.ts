import { MB } from "@sealway/kernel"
import { damagedZip, InvalidZipError } from "./invalid-zip-error.ts"
import { DEFLATED, type PackedFile, STORED } from "./packed-file.ts"

/**
 * A file of a zip from somebody else. What it states about its content is only verified once `unpackFile` has ended.
 */
export interface ZipEntry extends PackedFile {
  readonly executable: boolean
}

export interface ZipLimits {
  /** Counts files and folders. */
  readonly maxEntries: number
  /** Counts all files together, unpacked. */
  readonly maxBytes: number
}

/** A range of the zip's bytes. */
interface Extent {
  readonly start: number
  readonly end: number
}

const END_SIGNATURE = 0x06054b50
const ENTRY_SIGNATURE = 0x02014b50
const LOCAL_SIGNATURE = 0x04034b50
const END_BYTES = 22
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30
const MAX_COMMENT_BYTES = 0xffff
const ENCRYPTED_FLAG = 1
/** The sizes and the checksum follow the content, and may be missing in the local header. */
const DESCRIPTOR_FLAG = 8
const UTF8_FLAG = 1 << 11
/** The flags that affect reading. */
const READ_FLAGS = ENCRYPTED_FLAG | DESCRIPTOR_FLAG | UTF8_FLAG
const UNIX = 3
const FILE_TYPE_MASK = 0o170000
const REGULAR = 0o100000
const FOLDER = 0o040000
const MAX_PATH_CHARACTERS = 1_024
const MAX_PART_CHARACTERS = 255
/** Deflate packs at most 258 bytes into two bits. */
const MAX_RATIO = 1_032

/**
 * Lists the files of a zip (PKWARE APPNOTE.TXT, sections 4.3 and 4.4; not Zip64, which code of 250 MB does not need).
 * Unpacks nothing. The remaining work is bounded by the sizes added up here, because `unpackFile` unpacks no more than
 * an entry states, and no two entries share packed bytes.
 *
 * @throws InvalidZipError when the zip is damaged, encrypted, beyond the limits, or ambiguous (entries that overlap,
 * disagree with their local header, or share a path), or when it contains a path that leads out of its folder, or
 * anything but files and folders (symbolic links)
 */
export function listZip(zip: Buffer, { maxEntries, maxBytes }: ZipLimits): ZipEntry[] {
  const { entries, directory } = readEnd(zip)
  if (entries > maxEntries) {
    throw new InvalidZipError(`The zip contains more than ${maxEntries} files and folders.`, {
      tooLarge: true,
    })
  }
  const files: ZipEntry[] = []
  const paths = new Set<string>()
  const extents: Extent[] = []
  let bytes = 0
  let at = directory.start
  for (let left = entries; left > 0; left--) {
    const { entry, extent, isFolder, end } = readEntry(zip, at, directory)
    at = end
    extents.push(extent)
    if (paths.has(entry.path)) throw new InvalidZipError("The zip contains the same path twice.")
    paths.add(entry.path)
    bytes += entry.bytes
    if (bytes > maxBytes) {
      throw new InvalidZipError(`The zip's files are larger than ${maxBytes / MB} MB in total.`, {
        tooLarge: true,
      })
    }
    if (!isFolder) files.push(entry)
  }
  if (at !== directory.end) throw damagedZip()
  refuseOverlaps(extents)
  return files
}

/** Reads the last record of a zip. Only its comment may follow. */
function readEnd(zip: Buffer): { entries: number; directory: Extent } {
  const first = Math.max(0, zip.length - END_BYTES - MAX_COMMENT_BYTES)
  for (let at = zip.length - END_BYTES; at >= first; at--) {
    if (zip.readUInt32LE(at) !== END_SIGNATURE) continue
    if (at + END_BYTES + zip.readUInt16LE(at + 20) !== zip.length) continue
    const start = zip.readUInt32LE(at + 16)
    const entries = zip.readUInt16LE(at + 10)
    // The zip must be on one disk, with its directory complete and directly before. With Zip64 it is not.
    const isWhole = zip.readUInt32LE(at + 4) === 0 && zip.readUInt16LE(at + 8) === entries
    if (!isWhole || start + zip.readUInt32LE(at + 12) !== at) throw damagedZip()
    return { entries, directory: { start, end: at } }
  }
  throw damagedZip()
}

function readEntry(zip: Buffer, at: number, directory: Extent) {
  if (at + ENTRY_BYTES > directory.end || zip.readUInt32LE(at) !== ENTRY_SIGNATURE) throw damagedZip()
  const nameEnd = at + ENTRY_BYTES + zip.readUInt16LE(at + 28)
  const end = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  if (end > directory.end) throw damagedZip()
  const name = zip.subarray(at + ENTRY_BYTES, nameEnd)
  const mode = zip.readUInt8(at + 5) === UNIX ? zip.readUInt16LE(at + 40) : 0
  const type = mode & FILE_TYPE_MASK
  if (type !== 0 && type !== REGULAR && type !== FOLDER) {
    throw new InvalidZipError("The zip contains something other than files and folders.")
  }
  if (zip.readUInt16LE(at + 8) & ENCRYPTED_FLAG) throw new InvalidZipError("The zip is encrypted.")
  const path = decodePath(name)
  const isFolder = path.endsWith("/") || type === FOLDER
  const bytes = zip.readUInt32LE(at + 24)
  const packedBytes = zip.readUInt32LE(at + 20)
  const method = methodOf(zip.readUInt16LE(at + 10))
  const couldBe = method === STORED ? bytes === packedBytes : bytes <= packedBytes * MAX_RATIO
  if (!couldBe || (isFolder && bytes > 0)) throw damagedZip()
  const start = zip.readUInt32LE(at + 42)
  const content = contentAfter(zip, start, at, name, packedBytes)
  if (content + packedBytes > directory.start) throw damagedZip()
  const entry: ZipEntry = {
    path,
    bytes,
    crc32: zip.readUInt32LE(at + 16),
    method,
    packed: zip.subarray(content, content + packedBytes),
    executable: (mode & 0o100) !== 0,
  }
  return { entry, extent: { start, end: content + packedBytes }, isFolder, end }
}

function methodOf(method: number): ZipEntry["method"] {
  if (method === STORED || method === DEFLATED) return method
  throw new InvalidZipError("The zip uses an unsupported compression. Use Deflate.")
}

/**
 * Returns where the content after a local header starts. Readers that use local headers must not see a different zip
 * than we do, so they must agree with the directory.
 */
function contentAfter(zip: Buffer, local: number, entry: number, name: Buffer, packedBytes: number): number {
  if (local + LOCAL_BYTES > zip.length || zip.readUInt32LE(local) !== LOCAL_SIGNATURE) throw damagedZip()
  const nameStart = local + LOCAL_BYTES
  const nameEnd = nameStart + zip.readUInt16LE(local + 26)
  const flags = zip.readUInt16LE(entry + 8) & READ_FLAGS
  const same = (from: number, to: number) =>
    zip.subarray(local + from, local + to).equals(zip.subarray(entry + from + 2, entry + to + 2))
  const agrees =
    (zip.readUInt16LE(local + 6) & READ_FLAGS) === flags &&
    // The method; the checksum and the sizes.
    same(8, 10) &&
    ((flags & DESCRIPTOR_FLAG) !== 0 || same(14, 26)) &&
    zip.subarray(nameStart, nameEnd).equals(name)
  const content = nameEnd + zip.readUInt16LE(local + 28)
  if (!agrees || content + packedBytes > zip.length) throw damagedZip()
  return content
}

/** Overlapping entries are how a small zip unpacks to a large one, and how two readers see different files. */
function refuseOverlaps(extents: Extent[]): void {
  const sorted = extents.toSorted((left, right) => left.start - right.start)
  let free = 0
  for (const { start, end } of sorted) {
    if (start < free) throw new InvalidZipError("The zip contains overlapping entries.")
    free = end
  }
}

function decodePath(bytes: Buffer): string {
  const path = bytes.toString()
  const parts = path.replace(/\/$/, "").split("/")
  const isBad = ["", ".", ".."].some((part) => parts.includes(part))
  const isLong = path.length > MAX_PATH_CHARACTERS || parts.some((part) => part.length > MAX_PART_CHARACTERS)
  // Drive letters and backslashes lead out of the folder on Windows; U+FFFD replaces invalid UTF-8.
  if (isBad || isLong || /[\\:\0\ufffd]/.test(path)) {
    throw new InvalidZipError("The zip contains a path that cannot be unpacked.")
  }
  return path
}
