import { promisify } from "node:util"
import { constants, crc32, deflateRaw, type ZlibOptions } from "node:zlib"
import { DEFLATED, type PackedFile } from "./packed-file.ts"

// PKWARE APPNOTE.TXT, sections 4.3 and 4.4.
const LOCAL_HEADER = 0x04034b50
const CENTRAL_HEADER = 0x02014b50
const END_OF_CENTRAL_DIRECTORY = 0x06054b50
const VERSION_NEEDED = 20
const MADE_BY_UNIX = (3 << 8) | VERSION_NEEDED
/** The name is in UTF-8. */
const UTF8_FLAG = 1 << 11
/** The earliest possible time, 1 January 1980, so that the bytes do not reveal when they were made. */
const TIME = 0
const DATE = (1 << 5) | 1
/** A file that everyone may read, which Lambda requires: S_IFREG | 0644. */
const READABLE_FILE = 0o100644 * 0x1_0000
const MAX_BYTES = 0xffff_ffff

const deflate = promisify<Uint8Array, ZlibOptions, Buffer>(deflateRaw)

/** Compresses a file as well as Deflate can, off the event loop. */
export async function packFile(path: string, content: Uint8Array): Promise<PackedFile> {
  if (content.length > MAX_BYTES) throw new RangeError("A file of a zip has less than 4 GiB")
  const packed = await deflate(content, { level: constants.Z_BEST_COMPRESSION })
  return { path, bytes: content.length, crc32: crc32(content), method: DEFLATED, packed }
}

/**
 * Writes a zip with its files in the order of their paths. Everyone may read them: a function runs as a different user
 * than the one that unpacks it.
 */
export function writeZip(files: readonly PackedFile[]): Buffer {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const parts: Uint8Array[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const file of sorted) {
    const name = Buffer.from(file.path)
    const shared = sharedHeader(file)
    const local = Buffer.concat([uint32(LOCAL_HEADER), shared, name])
    parts.push(local, file.packed)
    directory.push(
      Buffer.concat([
        uint32(CENTRAL_HEADER),
        uint16(MADE_BY_UNIX),
        shared,
        // No comment, first disk, no internal attributes.
        Buffer.alloc(6),
        uint32(READABLE_FILE),
        uint32(offset),
        name,
      ]),
    )
    offset += local.length + file.packed.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.concat([
    uint32(END_OF_CENTRAL_DIRECTORY),
    // This is the first disk, and the directory is on it.
    Buffer.alloc(4),
    uint16(sorted.length),
    uint16(sorted.length),
    uint32(entries.length),
    uint32(offset),
    uint16(0),
  ])
  return Buffer.concat([...parts, entries, end])
}

/** Returns what a file's local header and its directory entry have in common. */
function sharedHeader({ path, bytes, crc32, method, packed }: PackedFile): Buffer {
  return Buffer.concat([
    uint16(VERSION_NEEDED),
    uint16(/^[\x20-\x7e]*$/.test(path) ? 0 : UTF8_FLAG),
    uint16(method),
    uint16(TIME),
    uint16(DATE),
    uint32(crc32),
    uint32(packed.length),
    uint32(bytes),
    uint16(Buffer.byteLength(path)),
    // No extra fields.
    uint16(0),
  ])
}

function uint16(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16LE(value)
  return buffer
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return buffer
}
