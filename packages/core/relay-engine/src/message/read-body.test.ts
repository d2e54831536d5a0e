import { Readable } from "node:stream"
import { finished } from "node:stream/promises"
import { processTurns } from "@sealway/kernel"
import { describe, expect, test } from "vitest"
import { type BodyMemory, HELD_PER_BYTE } from "../body/body-memory.ts"
import { RelayError } from "../errors/relay-error.ts"
import { readBody, readBodyUpTo, readChunks, readHead } from "./read-body.ts"

/** Larger than what is too small to be counted. */
const BYTES = Buffer.from("0123456789".repeat(300))
const { length } = BYTES

const pieces = (bytes = BYTES) =>
  Readable.from([bytes.subarray(0, 1_000), bytes.subarray(1_000, 2_000), bytes.subarray(2_000)])

/** Notes what is counted, in its order. */
function notedMemory() {
  const noted: string[] = []
  const memory: BodyMemory = {
    receive: (bytes) => noted.push(`receive ${bytes}`),
    reserve: async (bytes) => {
      noted.push(`reserve ${bytes}`)
    },
    take: (bytes) => noted.push(`take ${bytes}`),
  }
  return { memory, noted }
}

const read = async (body: Buffer | Readable, maxBytes: number, memory?: BodyMemory) =>
  processTurns.run(readBody(body, maxBytes, "request", { isEncoded: false, ...(memory && { memory }) }))
const readUpTo = (body: Buffer | Readable, maxBytes: number, memory?: BodyMemory) =>
  readBodyUpTo(body, maxBytes, "request", {
    isEncoded: false,
    turns: processTurns,
    ...(memory && { memory }),
  })

async function bytesOf(body: Buffer | Readable): Promise<Buffer> {
  return Buffer.isBuffer(body) ? body : Buffer.concat(await Array.fromAsync<Buffer>(body))
}

/** Breaks off after its first piece. */
function broken(error: Error): Readable {
  return Readable.from(
    (async function* () {
      yield BYTES
      throw error
    })(),
  )
}

describe("a body that is read as a whole", () => {
  test("has at most the maximum size, in one piece or in several", async () => {
    for (const body of [() => BYTES, pieces]) {
      expect((await read(body(), length)).equals(BYTES)).toBe(true)
      await expect(read(body(), length - 1)).rejects.toMatchObject({
        code: "payload-too-large",
        message: "The request's body is too large to be read.",
      })
    }
  })

  test("is counted while it arrives, and waits for memory before it is joined and changed", async () => {
    const room = `reserve ${HELD_PER_BYTE * length}`
    for (const readAll of [read, readUpTo]) {
      const arriving = notedMemory()
      await readAll(pieces(), length, arriving.memory)
      expect(arriving.noted).toEqual(["receive 1000", "receive 1000", "receive 1000", room])
      const present = notedMemory()
      await readAll(BYTES, length, present.memory)
      expect(present.noted).toEqual([room])
      const small = notedMemory()
      await readAll(BYTES.subarray(0, 1_024), length, small.memory)
      expect(small.noted).toEqual([])
    }
  })

  test("is refused while it arrives when there is no memory", async () => {
    const { memory } = notedMemory()
    const full = new RelayError("service-unavailable", "Too busy.")
    const refusing = {
      ...memory,
      receive: () => {
        throw full
      },
    }
    for (const readAll of [read, readUpTo]) {
      await expect(readAll(pieces(), length, refusing)).rejects.toBe(full)
    }
  })

  test("is refused when it breaks off, with its cause", async () => {
    const reset = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })
    const aborted = new DOMException("Aborted", "AbortError")
    for (const cause of [reset, aborted]) {
      for (const readAll of [read, readUpTo]) {
        await expect(readAll(broken(cause), length)).rejects.toMatchObject({
          code: "bad-request",
          message: "The request's body broke off.",
          cause,
        })
      }
      const answer = readChunks(broken(cause), length, "response")
      await expect(answer).rejects.toMatchObject({ code: "proxy-error", stage: "response" })
    }
  })

  test("fails with any other error as it is", async () => {
    const refusal = new RelayError("service-unavailable", "Too busy.")
    const mistake = new TypeError("No such function")
    for (const error of [refusal, mistake]) {
      await expect(read(broken(error), length)).rejects.toBe(error)
    }
  })
})

describe("a body that is only inspected", () => {
  test("is read as a whole if it has at most the maximum size", async () => {
    const whole = await readUpTo(pieces(), length)
    expect([Buffer.isBuffer(whole), (await bytesOf(whole)).equals(BYTES)]).toEqual([true, true])
    expect(await readUpTo(BYTES, length)).toBe(BYTES)
    expect(await readUpTo(Readable.from([]), length)).toHaveLength(0)
  })

  test("passes as a stream of all of its bytes if it is larger", async () => {
    const { memory, noted } = notedMemory()
    const whole = await readUpTo(pieces(), length - 1, memory)
    expect([whole instanceof Readable, (await bytesOf(whole)).equals(BYTES)]).toEqual([true, true])
    expect(noted.filter((each) => each.startsWith("reserve"))).toEqual([])
    const early = await readUpTo(pieces(), 1)
    expect((await bytesOf(early)).equals(BYTES)).toBe(true)
  })

  test("ends its source when its reader ends", async () => {
    const source = pieces()
    const whole = await readUpTo(source, 1)
    if (!(whole instanceof Readable)) throw new TypeError("Not a stream")
    for await (const _ of whole) break
    await finished(source).catch(() => undefined)
    expect(source.destroyed).toBe(true)
  })
})

describe("the head of a body", () => {
  test.each([1, 1_000, 1_001, length, length + 1])(
    "has the first %d bytes, or all, and the body has the rest too",
    async (bytes) => {
      for (const body of [BYTES, pieces()]) {
        const { head, body: whole } = await readHead(body, bytes, "request")
        expect(head.equals(BYTES.subarray(0, bytes))).toBe(true)
        expect((await bytesOf(whole)).equals(BYTES)).toBe(true)
      }
    },
  )

  test("is there before anything that follows it", async () => {
    const source = new Readable({ read: () => undefined })
    source.push(BYTES)
    const { head } = await readHead(source, length, "request")
    expect(head.equals(BYTES)).toBe(true)
    source.destroy()
  })
})
