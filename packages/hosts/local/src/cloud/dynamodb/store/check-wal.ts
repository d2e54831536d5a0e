/** The state of a database's write-ahead log. */
export type WalState =
  /** Ends after a commit or within the one being written. */
  | "intact"
  /** Nothing was committed to it since it was begun. */
  | "empty"
  /** Something before the last commit was changed. SQLite would drop everything after it. */
  | "damaged"

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAGIC = 0x377f0682

interface Frame {
  readonly isOfThisLog: boolean
  readonly isCommit: boolean
  /** Whether its checksum continues that of the previous frame. */
  readonly isLinked: boolean
}

/**
 * Distinguishes damage in a write-ahead log from truncation. SQLite reads a log up to the first frame with a wrong
 * checksum, and treats the rest as a transaction that a crash interrupted. But each transaction is synced before the
 * next one starts: if a frame is wrong, and a later commit is followed by one more frame, that commit was acknowledged.
 *
 * Damage within the last transaction of the log cannot be distinguished from truncation.
 *
 * https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */
export function checkWal(wal: Uint8Array): WalState {
  if (wal.length <= HEADER_BYTES) return "empty"
  const view = new DataView(wal.buffer, wal.byteOffset, wal.byteLength)
  const pageBytes = view.getUint32(8)
  const isLittleEndian = view.getUint32(0) === MAGIC
  const headerSum = checksum(view, 0, HEADER_BYTES - 8, [0, 0], isLittleEndian)
  // The header is synced before the first frame is written.
  if ((view.getUint32(0) & ~1) >>> 0 !== MAGIC || !equalsAt(view, HEADER_BYTES - 8, headerSum))
    return "damaged"

  let isWhole = true
  let isCommitAfterDamage = false
  let isEmpty = true
  const frameBytes = FRAME_HEADER_BYTES + pageBytes
  for (let at = HEADER_BYTES; at + frameBytes <= wal.length; at += frameBytes) {
    const frame = readFrame(view, at, pageBytes, isLittleEndian)
    if (isCommitAfterDamage && frame.isOfThisLog && frame.isLinked) return "damaged"
    isWhole &&= frame.isOfThisLog && frame.isLinked
    isCommitAfterDamage = !isWhole && frame.isOfThisLog && frame.isCommit
    if (isWhole && frame.isCommit) isEmpty = false
  }
  return isEmpty ? "empty" : "intact"
}

function readFrame(view: DataView, at: number, pageBytes: number, isLittleEndian: boolean): Frame {
  // Of the header or the previous frame: both end with their checksum, except for the page.
  const before = at === HEADER_BYTES ? HEADER_BYTES - 8 : at - pageBytes - 8
  const seed: Sum = [view.getUint32(before), view.getUint32(before + 4)]
  const head = checksum(view, at, 8, seed, isLittleEndian)
  const sum = checksum(view, at + FRAME_HEADER_BYTES, pageBytes, head, isLittleEndian)
  return {
    isOfThisLog:
      view.getUint32(at + 8) === view.getUint32(16) && view.getUint32(at + 12) === view.getUint32(20),
    isCommit: view.getUint32(at + 4) !== 0,
    isLinked: equalsAt(view, at + 16, sum),
  }
}

type Sum = readonly [number, number]

function checksum(view: DataView, at: number, length: number, seed: Sum, isLittleEndian: boolean): Sum {
  let [first, second] = seed
  for (let offset = at; offset < at + length; offset += 8) {
    first = (first + view.getUint32(offset, isLittleEndian) + second) >>> 0
    second = (second + view.getUint32(offset + 4, isLittleEndian) + first) >>> 0
  }
  return [first, second]
}

function equalsAt(view: DataView, at: number, [first, second]: Sum): boolean {
  return view.getUint32(at) === first && view.getUint32(at + 4) === second
}
