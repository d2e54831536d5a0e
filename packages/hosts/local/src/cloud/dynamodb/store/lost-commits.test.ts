import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { DEFINITION, databasePath, keyOf, TABLE_NAME } from "../testing/tables-file.ts"
import { createWriteEngine, type WriteEngine } from "../writer/write-engine.ts"
import { readCommitFile } from "./commit-file.ts"
import { ensureTables } from "./ensure-tables.ts"
import { acceptLostCommits } from "./lost-commits.ts"
import { openForWriting, type WritableDatabase } from "./open-database.ts"
import { openForReading } from "./open-for-reading.ts"

const HEADER_BYTES = 32
const FRAME_BYTES = 24 + 4096
const COMMITS = 5
const FILES = ["", "-wal", "-commits"]

let path: string
let database: WritableDatabase
let engine: WriteEngine

beforeEach(async () => {
  path = await databasePath()
  engine = createWriteEngine(
    () => {
      database = openForWriting(path)
      ensureTables(database.connection, [DEFINITION], Date.now)
      return database
    },
    Date.now,
    () => undefined,
  )
  onTestFinished(() => engine.close())
  engine.emptyLog()
})

const write = (sk: string, text = "") => {
  const item = { ...keyOf(sk), text: { S: text } }
  const replies = engine.write([JSON.stringify({ kind: "put", table: TABLE_NAME, item })])
  expect(replies).toMatchObject([{ kind: "written" }])
}
const writeAll = () => {
  for (let commit = 1; commit <= COMMITS; commit++) write(String(commit))
}

let copies = 0
/** Copies the files as a process leaves them that is killed now. */
function killed(): string {
  const copy = `${path}.${++copies}`
  for (const file of FILES) if (existsSync(path + file)) copyFileSync(path + file, copy + file)
  return copy
}

/** Opens a copy as the next start does. @returns the sort keys in it */
function start(copy: string): string[] {
  openForWriting(copy).close()
  // What was opened can be opened again.
  openForWriting(copy).close()
  const reading = openForReading(copy)
  const rows = reading.prepare("SELECT CAST(sort AS TEXT) AS sort FROM items ORDER BY sort").all()
  reading.close()
  return rows.map(({ sort }) => String(sort))
}

/** A file that is not there counts as an empty one: reading creates the log's. */
function contentOf(copy: string) {
  return FILES.map((file) => (existsSync(copy + file) ? readFileSync(copy + file) : Buffer.alloc(0)))
}

function expectRefusal(copy: string, lost: object): void {
  const before = contentOf(copy)
  const refusal = { name: "LostCommitsError", lost: expect.objectContaining(lost) }
  expect(() => openForWriting(copy)).toThrow(expect.objectContaining(refusal))
  expect(contentOf(copy)).toEqual(before)
}

describe("a database that was left open", () => {
  test("opens with every commit, when nothing is missing", () => {
    writeAll()
    expect(start(killed())).toEqual(["1", "2", "3", "4", "5"])
  })

  test("is refused unchanged when its log is cut at any frame before the last commit, and accepted with the rest", () => {
    writeAll()
    const whole = readFileSync(`${path}-wal`)
    const frames = (whole.length - HEADER_BYTES) / FRAME_BYTES
    for (let frame = 0; frame < frames; frame++) {
      for (const more of [0, 24, 1000]) {
        const copy = killed()
        truncateSync(`${copy}-wal`, HEADER_BYTES + frame * FRAME_BYTES + more)
        expectRefusal(copy, { answered: COMMITS })

        const lost = acceptLostCommits(copy, `${copy}-aside`)
        const kept = start(copy)
        expect(kept).toEqual(["1", "2", "3", "4", "5"].slice(0, kept.length))
        expect(lost).toEqual({ held: kept.length, answered: COMMITS })
        expect(kept.length).toBeLessThan(COMMITS)
      }
    }
    expect(frames).toBeGreaterThanOrEqual(2 * COMMITS)
  })

  test.each([
    ["is missing", (copy: string) => rmSync(`${copy}-wal`)],
    ["is empty", (copy: string) => truncateSync(`${copy}-wal`)],
    ["has only its header", (copy: string) => truncateSync(`${copy}-wal`, HEADER_BYTES)],
  ])("is refused when its log %s", (_, lose) => {
    writeAll()
    const copy = killed()
    lose(copy)
    expectRefusal(copy, { held: 0, answered: COMMITS })
  })

  test("is refused when its log is replaced by an earlier state of it", () => {
    writeAll()
    const early = killed()
    write("6")
    const copy = killed()
    copyFileSync(`${early}-wal`, `${copy}-wal`)
    expectRefusal(copy, { held: COMMITS, answered: COMMITS + 1 })
  })

  test("is refused when its log is replaced by an earlier one, which is moved aside when the loss is accepted", () => {
    writeAll()
    const early = killed()
    engine.emptyLog()
    write("6")
    engine.emptyLog()
    write("7")
    const copy = killed()
    copyFileSync(`${early}-wal`, `${copy}-wal`)
    expectRefusal(copy, { held: COMMITS, answered: COMMITS + 2 })

    expect(acceptLostCommits(copy, `${copy}-aside`)).toEqual({ held: 6, answered: 7 })
    expect(start(copy)).toEqual(["1", "2", "3", "4", "5", "6"])
    expect(readFileSync(`${copy}-aside`)).toEqual(readFileSync(`${early}-wal`))
  })

  test("is refused without its log when that was being written back, whatever count the database has", () => {
    writeAll()
    let copy = ""
    const { connection } = database
    const prepare = connection.prepare.bind(connection)
    connection.prepare = (sql) => {
      if (sql.includes("PASSIVE")) copy = killed()
      return prepare(sql)
    }
    engine.emptyLog()
    const whole = `${copy}.whole`
    for (const file of FILES) copyFileSync(copy + file, whole + file)
    expect(start(whole)).toHaveLength(COMMITS)

    copyFileSync(path, copy)
    for (const lose of [() => truncateSync(`${copy}-wal`, HEADER_BYTES), () => rmSync(`${copy}-wal`)]) {
      lose()
      expectRefusal(copy, { held: COMMITS, answered: COMMITS })
    }
  })

  test("is refused when the count beside it is missing or damaged, and opens when one of its two slots is whole", () => {
    writeAll()
    const bytes = readFileSync(`${path}-commits`)
    const damage = (offsets: readonly number[]) => {
      const copy = killed()
      const damaged = Buffer.from(bytes)
      for (const at of offsets) damaged[at] = (damaged[at] ?? 0) ^ 1
      writeFileSync(`${copy}-commits`, damaged)
      return copy
    }
    const none = killed()
    rmSync(`${none}-commits`)
    expectRefusal(none, { held: COMMITS, answered: null })
    expectRefusal(damage([9, 4096 + 17]), { held: COMMITS, answered: null })
    expect(start(damage([30]))).toHaveLength(COMMITS)
    expect(start(damage([4096 + 24]))).toHaveLength(COMMITS)

    expect(acceptLostCommits(none, `${none}-aside`)).toEqual({ held: COMMITS, answered: null })
    expect(start(none)).toHaveLength(COMMITS)
  })
})

describe("a process killed at any other moment leaves what opens:", () => {
  test("after a commit and before its number was noted", () => {
    writeAll()
    const earlier = readFileSync(`${path}-commits`)
    write("6")
    const copy = killed()
    writeFileSync(`${copy}-commits`, earlier)
    expect(start(copy)).toHaveLength(COMMITS + 1)
  })

  test("before and after the log was emptied, and with the first write of the next one torn", () => {
    writeAll()
    const noted = killed()
    engine.emptyLog()
    copyFileSync(`${path}-commits`, `${noted}-commits`)
    expect(start(noted)).toHaveLength(COMMITS)
    expect(start(killed())).toHaveLength(COMMITS)

    write("6", "x".repeat(10_000))
    const torn = killed()
    truncateSync(`${torn}-wal`, HEADER_BYTES + FRAME_BYTES)
    writeFileSync(`${torn}-commits`, readFileSync(`${noted}-commits`))
    expect(start(torn)).toHaveLength(COMMITS)
  })

  test("in the first write of a log that was begun over the last one", () => {
    writeAll()
    // Writes the long log back.
    const { length } = Array.from({ length: 12 }, (_, index) => write(`long-${index}`, "x".repeat(330_000)))
    const before = killed()
    write("6")
    const after = killed()
    const torn = killed()
    const bytes = readFileSync(`${before}-wal`)
    readFileSync(`${after}-wal`).copy(bytes, 0, 0, HEADER_BYTES + FRAME_BYTES)
    writeFileSync(`${torn}-wal`, bytes)
    copyFileSync(`${before}-commits`, `${torn}-commits`)

    expect(readFileSync(`${after}-wal`)).toHaveLength(readFileSync(`${before}-wal`).length)
    expect(start(torn)).toHaveLength(COMMITS + length)
    expect(start(after)).toHaveLength(COMMITS + length + 1)
  })

  test("closed by SQLite alone, as when its thread ends", () => {
    writeAll()
    database.connection.close()
    expect(existsSync(`${path}-wal`)).toBe(false)
    expect(start(path)).toHaveLength(COMMITS)
  })

  test("while another connection reads, which keeps the log", () => {
    writeAll()
    const reading = openForReading(path)
    reading.exec("BEGIN; SELECT * FROM commits")
    write("6")
    engine.close()
    reading.close()
    expect(existsSync(`${path}-wal`)).toBe(true)
    expect(start(path)).toHaveLength(COMMITS + 1)
  })
})

test("writes that change nothing are not counted", () => {
  write("1")
  const create = { kind: "create", table: TABLE_NAME, item: keyOf("1"), now: 0 }
  engine.write([JSON.stringify(create)])
  expect(readCommitFile(path)?.commits).toBe(1)
})
