import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { finish } from "../work/work.ts"
import { ChunkList } from "./chunk-list.ts"

describe("a list of chunks", () => {
  test("returns all bytes in order, whatever their sizes", () => {
    const sizes = fc.array(fc.oneof(fc.nat(3), fc.nat(300), fc.integer({ min: 4000, max: 9000 })), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(sizes, (all) => {
        const chunks = all.map((size, index) => Buffer.alloc(size, index + 1))
        const list = new ChunkList()
        for (const chunk of chunks) list.add(chunk)
        expect(finish(list.join()).equals(Buffer.concat(chunks))).toBe(true)
        list.add(Buffer.from("more"))
        expect(finish(list.join()).equals(Buffer.concat([...chunks, Buffer.from("more")]))).toBe(true)
      }),
    )
  })

  test("joins small chunks", () => {
    const list = new ChunkList()
    for (let count = 0; count < 100_000; count++) list.add(Buffer.from("a"))
    expect(list.chunks().length).toBeLessThan(20)
  })

  test("needs no more memory than their bytes for small chunks between large ones", () => {
    const list = new ChunkList()
    for (let count = 0; count < 1_000; count++) {
      list.add(Buffer.from("a"))
      list.add(Buffer.alloc(4096))
    }
    const memories = new Set(list.chunks().map(({ buffer }) => buffer))
    const kept = [...memories].reduce((sum, { byteLength }) => sum + byteLength, 0)
    expect(kept).toBeLessThan(2 * finish(list.join()).length)
  })

  test("does not copy a single chunk", () => {
    const list = new ChunkList()
    const only = Buffer.from("only")
    list.add(only)
    expect(finish(list.join())).toBe(only)
  })
})
