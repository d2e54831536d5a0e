import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beforeAll, describe, expect, test } from "vitest"
import { checkWal } from "./check-wal.ts"

const HEADER_BYTES = 32
const FRAME_BYTES = 24 + 4096
const COMMITS = 5

/** Returns a log of five transactions, the last one with three frames. */
async function writtenLog(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-test-"))
  const path = join(folder, "tables.db")
  const database = new DatabaseSync(path)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (a TEXT)")
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  for (let commit = 1; commit <= COMMITS; commit++) {
    const pages = commit === COMMITS ? 2 : 0
    database.prepare("INSERT INTO t VALUES (?)").run("x".repeat(100 + pages * 4096))
  }
  const log = readFileSync(`${path}-wal`)
  database.close()
  await rm(folder, { recursive: true })
  return log
}

describe("the write-ahead log of a database", () => {
  let log: Buffer
  let commits: readonly number[]
  beforeAll(async () => {
    log = await writtenLog()
    const frames = Array.from({ length: (log.length - HEADER_BYTES) / FRAME_BYTES }, (_, index) => index)
    commits = frames.filter((frame) => log.readUInt32BE(HEADER_BYTES + frame * FRAME_BYTES + 4) !== 0)
  })

  test("is intact when it is complete", () => {
    expect(commits).toHaveLength(COMMITS)
    expect(checkWal(log)).toBe("intact")
  })

  test("is intact when truncated after its first commit, and empty before", () => {
    const first = HEADER_BYTES + ((commits[0] ?? 0) + 1) * FRAME_BYTES
    for (let end = 0; end < first; end += 127) expect(checkWal(log.subarray(0, end))).toBe("empty")
    for (let end = first; end <= log.length; end += 127) expect(checkWal(log.subarray(0, end))).toBe("intact")
  })

  test("is intact when pages of the last transaction did not reach the disk, in any order of writing", () => {
    const last = (commits.at(-2) ?? 0) + 1
    for (let frame = last; frame * FRAME_BYTES < log.length - HEADER_BYTES; frame++) {
      const torn = Buffer.from(log)
      torn.fill(0, HEADER_BYTES + frame * FRAME_BYTES, HEADER_BYTES + (frame + 1) * FRAME_BYTES)
      expect(checkWal(torn)).toBe("intact")
    }
  })

  test("is intact when frames of an earlier log follow", () => {
    const old = Buffer.from(log.subarray(HEADER_BYTES))
    for (let at = 0; at < old.length; at += FRAME_BYTES) old.writeUInt32BE(7, at + 8)
    expect(checkWal(Buffer.concat([log, old]))).toBe("intact")
  })

  test("is damaged when any bit of a frame before the last two transactions is flipped", () => {
    const end = HEADER_BYTES + ((commits.at(-3) ?? 0) + 1) * FRAME_BYTES
    for (let at = HEADER_BYTES; at < end; at += 61) {
      const flipped = Buffer.from(log)
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
      expect(checkWal(flipped), `byte ${at}`).toBe("damaged")
    }
  })

  test("is damaged when any bit of its header is flipped", () => {
    for (let bit = 0; bit < HEADER_BYTES * 8; bit++) {
      const flipped = Buffer.from(log)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(checkWal(flipped), `bit ${bit}`).toBe("damaged")
    }
  })
})
