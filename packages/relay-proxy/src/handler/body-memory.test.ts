import { Readable } from "node:stream"
import { gzipSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { createBodiesMemory } from "./body-memory.ts"
import { createHandlerWorld, HOST } from "./testing/world.ts"

describe("the memory for bodies", () => {
  test("is shared by all exchanges, and refused with service-unavailable when it is used up", () => {
    const memoryOf = createBodiesMemory(100)
    const [first, second] = [memoryOf(), memoryOf()]
    first.take(60)
    second.take(40)
    expect(() => second.take(1)).toThrow(expect.objectContaining({ code: "service-unavailable" }))
    first.release()
    first.release()
    second.take(60)
    expect(() => first.take(1)).toThrow(expect.objectContaining({ code: "service-unavailable" }))
  })

  test("is given back after each exchange, whether it was refused or not", async () => {
    const encrypts = {
      action: "encrypt",
      selections: [{ type: "json", selector: "$.a", role: null }],
    } as const
    const routes = [{ method: null, path: "/**", request: [encrypts], response: [] }]
    const world = await createHandlerWorld({ routes, maxBodiesBytes: 1_100 })
    const rawHeaders = ["Host", HOST, "Content-Type", "application/json"]
    const sendOf = (...pieces: string[]) =>
      world.send({
        rawHeaders,
        body: Readable.from(pieces.map((each) => Buffer.from(each))),
        contentLength: null,
      })
    for (let turn = 0; turn < 3; turn++) {
      expect((await sendOf('{"a":1', " ".repeat(80), "}")).status).toBe(200)
      expect((await sendOf('{"a":1', " ".repeat(80), "!")).code).toBe("bad-request")
      expect((await sendOf('{"a":1', " ".repeat(100), "}")).code).toBe("service-unavailable")
    }
  })

  test("counts what bodies of few bytes unpack to, and each value that is changed", async () => {
    const encrypts = {
      action: "encrypt",
      selections: [{ type: "json", selector: "$[*]", role: null }],
    } as const
    const routes = [{ method: null, path: "/**", request: [encrypts], response: [] }]
    const world = await createHandlerWorld({ routes, maxBodiesBytes: 100_000 })
    const plain = ["Host", HOST, "Content-Type", "application/json"]
    const send = (body: Buffer, more: readonly string[] = []) =>
      world.send({ rawHeaders: [...plain, ...more], body })
    const gzip = (text: string) => send(gzipSync(text), ["Content-Encoding", "gzip"])
    const spaces = (count: number) => `[${" ".repeat(count)}]`
    const ones = (count: number) => Buffer.from(JSON.stringify(Array.from({ length: count }, () => 1)))
    expect((await gzip(spaces(90_000))).status).toBe(200)
    expect((await gzip(spaces(100_000))).code).toBe("service-unavailable")
    expect((await send(ones(99))).status).toBe(200)
    expect((await send(ones(101))).code).toBe("service-unavailable")
  })
})
