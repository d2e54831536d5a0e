import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs"
import { dirname } from "node:path"
import { crc32 } from "node:zlib"
import type { Report } from "../seldom.ts"

/* Beside the database, `tables.db-commits`: two slots of a page each, of which the one with the higher number counts. Each
is written in place, alternately, so a power cut during a write leaves the other. A slot, numbers big-endian:

  8 bytes   "SEALWAYC"
  8 bytes   the slot's own number, from 1
  8 bytes   how many commits were answered
  1 byte    1 while the log is written back to the database, otherwise 0
  4 bytes   CRC-32 of the above */
const MAGIC = Buffer.from("SEALWAYC")
const SLOT_DISTANCE = 4096
const SLOT_BYTES = 29
const CHECKED_BYTES = SLOT_BYTES - 4

/** The least time between two syncs that nobody waits for: each takes the disk from the next commit. */
const SYNC_INTERVAL_MS = 100

/** What is known of a database's answered commits. */
export interface CommitRecord {
  readonly commits: number
  /** Whether the log was being written back to the database, which then has a part of it and is of no use without it. */
  readonly isWritingBack: boolean
}

/** The open file. Only one thread of one process has it open. */
export interface CommitFile {
  /** Survives the process at once, and a power cut a tenth of a second later. @throws errors of the disk */
  note(record: CommitRecord): void
  /** Survives a power cut once this returns. @throws errors of the disk */
  noteDurably(record: CommitRecord): void
  close(): void
}

const pathOf = (database: string) => `${database}-commits`

/** Reads the file beside a database; null when it is missing or damaged. */
export function readCommitFile(database: string): CommitRecord | null {
  return latestSlot(database)
}

/**
 * Opens the file beside a database, creating it (mode 0600) if it is missing or damaged.
 *
 * @param ifNew what a new file says
 * @param report is told when a sync in the background fails
 */
export function openCommitFile(database: string, ifNew: CommitRecord, report: Report): CommitFile {
  const latest = latestSlot(database)
  const path = pathOf(database)
  const isMissing = !existsSync(path)
  const file = openSync(path, isMissing ? "wx" : "r+", 0o600)
  let number = latest?.number ?? 0
  let isDirty = false
  let isSyncing = false
  let isClosed = false
  let pause: NodeJS.Timeout | null = null

  function write(record: CommitRecord): void {
    number++
    writeSync(file, encodeSlot({ ...record, number }), 0, SLOT_BYTES, (number % 2) * SLOT_DISTANCE)
    isDirty = true
  }

  function syncSoon(): void {
    if (!isDirty || isSyncing || pause !== null) return
    isDirty = false
    isSyncing = true
    fdatasync(file, (error) => {
      isSyncing = false
      if (error !== null) report("The count of commits beside the tables could not be synced.", error)
      if (isClosed) return closeSync(file)
      pause = setTimeout(() => {
        pause = null
        syncSoon()
      }, SYNC_INTERVAL_MS)
      pause.unref()
    })
  }

  if (latest === null) {
    // Both slots, so that later writes find their place on the disk.
    for (const _ of [1, 2]) write(ifNew)
    fsyncSync(file)
    isDirty = false
    if (isMissing) syncFolder(dirname(path))
  }
  return {
    note(record) {
      write(record)
      syncSoon()
    },
    noteDurably(record) {
      write(record)
      fdatasyncSync(file)
      isDirty = false
    },
    close() {
      isClosed = true
      if (pause !== null) clearTimeout(pause)
      if (!isSyncing) closeSync(file)
    },
  }
}

interface Slot extends CommitRecord {
  readonly number: number
}

function latestSlot(database: string): Slot | null {
  const path = pathOf(database)
  if (!existsSync(path)) return null
  const bytes = readFileSync(path)
  const slots = [0, SLOT_DISTANCE].flatMap((at) => decodeSlot(bytes.subarray(at, at + SLOT_BYTES)) ?? [])
  return slots.toSorted((one, other) => other.number - one.number)[0] ?? null
}

function encodeSlot({ number, commits, isWritingBack }: Slot): Buffer {
  const bytes = Buffer.alloc(SLOT_BYTES)
  MAGIC.copy(bytes)
  bytes.writeBigUInt64BE(BigInt(number), 8)
  bytes.writeBigUInt64BE(BigInt(commits), 16)
  bytes.writeUInt8(isWritingBack ? 1 : 0, 24)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, CHECKED_BYTES)), CHECKED_BYTES)
  return bytes
}

function decodeSlot(bytes: Buffer): Slot | null {
  if (bytes.length < SLOT_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return null
  if (bytes.readUInt32BE(CHECKED_BYTES) !== crc32(bytes.subarray(0, CHECKED_BYTES))) return null
  return {
    number: Number(bytes.readBigUInt64BE(8)),
    commits: Number(bytes.readBigUInt64BE(16)),
    isWritingBack: bytes[24] === 1,
  }
}

/** Windows cannot open a folder, and needs no sync. */
function syncFolder(path: string): void {
  if (process.platform === "win32") return
  const folder = openSync(path, "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
