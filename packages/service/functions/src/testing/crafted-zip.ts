import { crc32, deflateRawSync } from "node:zlib"

/** A file of a crafted zip. Absent fields get their true values. */
export interface CraftedFile {
  readonly path: string
  readonly content?: Buffer
  /** Replaces the deflated content. */
  readonly packed?: Buffer
  /** The position of its local header. Default: after the previous file, where one is then written. */
  readonly offset?: number
  /** What the directory states, and the local header unless `local` differs. */
  readonly says?: Partial<Facts>
  /** What the local header states. */
  readonly local?: Partial<Facts>
}

interface Facts {
  readonly path: string
  readonly flags: number
  readonly method: number
  readonly crc32: number
  readonly packedBytes: number
  readonly bytes: number
}

/** What the end of the directory states. */
export interface CraftedEnd {
  readonly entries?: number
  readonly directoryBytes?: number
  readonly directoryOffset?: number
  /** Bytes between the directory and its end. */
  readonly before?: Buffer
}

/** Writes zips that no archiver would write, by the tables of PKWARE APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16. */
export function craftZip(files: readonly CraftedFile[], end: CraftedEnd = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const file of files) {
    const {
      path,
      content = Buffer.from(path),
      packed = deflateRawSync(content),
      says = {},
      local = {},
    } = file
    const sizes = { bytes: content.length, packedBytes: packed.length, crc32: crc32(content) }
    const told = { path, flags: 0, method: 8, ...sizes, ...says }
    if (file.offset === undefined) parts.push(localHeader({ ...told, ...local }), packed)
    directory.push(directoryEntry(told, file.offset ?? offset))
    offset = parts.reduce((sum, { length }) => sum + length, 0)
  }
  const listed = Buffer.concat(directory)
  const before = end.before ?? Buffer.alloc(0)
  const last = Buffer.alloc(22)
  last.writeUInt32LE(0x06054b50)
  last.writeUInt16LE(end.entries ?? files.length, 8)
  last.writeUInt16LE(end.entries ?? files.length, 10)
  last.writeUInt32LE(end.directoryBytes ?? listed.length, 12)
  last.writeUInt32LE(end.directoryOffset ?? offset, 16)
  return Buffer.concat([...parts, listed, before, last])
}

export function localHeader({ path, ...facts }: Facts): Buffer {
  const name = Buffer.from(path)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50)
  header.writeUInt16LE(20, 4)
  writeFacts(header, 6, facts)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

function directoryEntry({ path, ...facts }: Facts, offset: number): Buffer {
  const name = Buffer.from(path)
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50)
  entry.writeUInt16LE(20, 4)
  entry.writeUInt16LE(20, 6)
  writeFacts(entry, 8, facts)
  entry.writeUInt16LE(name.length, 28)
  entry.writeUInt32LE(offset, 42)
  return Buffer.concat([entry, name])
}

function writeFacts(target: Buffer, at: number, facts: Omit<Facts, "path">): void {
  target.writeUInt16LE(facts.flags, at)
  target.writeUInt16LE(facts.method, at + 2)
  target.writeUInt32LE(facts.crc32, at + 8)
  target.writeUInt32LE(facts.packedBytes, at + 12)
  target.writeUInt32LE(facts.bytes, at + 16)
}
