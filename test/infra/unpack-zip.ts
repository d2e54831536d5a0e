import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { crc32, inflateRawSync } from "node:zlib"

export interface ZipEntry {
  readonly path: string
  readonly content: Buffer
  /** Permission bits, such as 0o644. */
  readonly mode: number
  /** Date and time, as DOS wrote them. */
  readonly modified: readonly [date: number, time: number]
}

/**
 * Reads a zip by its directory, as unpackers do (APPNOTE.TXT, sections 4.3 and 4.4), and checks what that says.
 *
 * @throws Error when a file's local header, size or check sum differs from the directory's
 */
export function readZip(zip: Buffer): readonly ZipEntry[] {
  const end = zip.length - 22
  expectSignature(zip, end, 0x06054b50)
  const count = zip.readUInt16LE(end + 10)
  const directoryEnd = zip.readUInt32LE(end + 16) + zip.readUInt32LE(end + 12)
  if (directoryEnd !== end) throw new Error("The directory does not end where the end says")
  const entries: ZipEntry[] = []
  let at = zip.readUInt32LE(end + 16)
  for (let index = 0; index < count; index++) {
    expectSignature(zip, at, 0x02014b50)
    const header = zip.subarray(at + 6, at + 32)
    const nameEnd = at + 46 + zip.readUInt16LE(at + 28)
    const path = zip.toString("latin1", at + 46, nameEnd)
    const local = zip.readUInt32LE(at + 42)
    expectSignature(zip, local, 0x04034b50)
    if (!zip.subarray(local + 4, local + 30).equals(header)) throw new Error(`${path} has two headers`)
    const contentAt = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const content = inflateRawSync(zip.subarray(contentAt, contentAt + zip.readUInt32LE(at + 20)))
    if (content.length !== zip.readUInt32LE(at + 24)) throw new Error(`${path} has another size`)
    if (crc32(content) !== zip.readUInt32LE(at + 16)) throw new Error(`${path} has another check sum`)
    entries.push({
      path,
      content,
      mode: (zip.readUInt32LE(at + 38) >>> 16) & 0o777,
      modified: [zip.readUInt16LE(at + 14), zip.readUInt16LE(at + 12)],
    })
    at = nameEnd
  }
  if (at !== directoryEnd) throw new Error("The directory has more than the end says")
  return entries
}

/** Writes the content of a zip to a folder. */
export async function unpackZip(zip: Buffer, folder: string): Promise<void> {
  for (const { path, content } of readZip(zip)) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
}

function expectSignature(zip: Buffer, at: number, signature: number): void {
  if (zip.readUInt32LE(at) !== signature) throw new Error(`There is no header at ${at}`)
}
