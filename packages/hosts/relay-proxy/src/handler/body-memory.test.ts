import { Readable } from "node:stream"
import { gzipSync } from "node:zlib"
import { Deadlines, MemoryBudget } from "@sealway/http/ingress"
import { MB } from "@sealway/kernel"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createExchangeMemory } from "./body-memory.ts"
import { createHandlerWorld, HOST } from "./testing/world.ts"

const memoryOfBytes = (workingBytes: number) =>
  new MemoryBudget({ receivedBytes: Number.MAX_SAFE_INTEGER, workingBytes, waits: new Deadlines(5) })

/** An app of a team of its own. */
const ownerOf = (appId: string) => ({ appId, teamId: `team of ${appId}` })

/** Returns a function that creates the memory of an exchange of an app. */
const exchangesWith = (bytes: number) => {
  const budget = memoryOfBytes(bytes)
  return (appId: string) => createExchangeMemory(budget, ownerOf(appId), new AbortController())
}

describe("the memory for bodies", () => {
  const REFUSED = expect.objectContaining({ code: "service-unavailable" })

  test("is shared by all exchanges, and refused with service-unavailable when it is used up", () => {
    const memoryOf = exchangesWith(100)
    const [first, second] = [memoryOf("a"), memoryOf("a")]
    first.take(60)
    second.take(15)
    expect(() => second.take(1)).toThrow(REFUSED)
    first.release()
    first.release()
    second.take(60)
    expect(() => first.take(1)).toThrow(REFUSED)
    first.take(0)
  })

  test("is never used by one app to the point that others have none", () => {
    const memoryOf = exchangesWith(100)
    const greedy = memoryOf("a")
    greedy.take(75)
    const other = memoryOf("b")
    other.take(18)
    expect(() => memoryOf("a").take(1)).toThrow(REFUSED)
    expect(() => memoryOf("b").take(1)).toThrow(REFUSED)
    memoryOf("c").take(5)
    // What it has is not taken away, and keeping nothing is never refused.
    expect(() => greedy.keep(0)).not.toThrow()
    other.take(50)
    expect(() => memoryOf("a").take(21)).toThrow(REFUSED)
    memoryOf("a").take(20)
  })

  test("is complete again when everything taken is released", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(60), fc.option(fc.nat(60)))),
        (steps) => {
          const memoryOf = exchangesWith(100)
          const exchanges = steps.map(([app, taken, kept]) => {
            const memory = memoryOf(app)
            try {
              memory.take(taken)
              if (kept !== null) memory.keep(kept)
            } catch (error) {
              expect(error).toEqual(REFUSED)
            }
            return memory
          })
          for (const { release } of exchanges) release()
          memoryOf("a").take(75)
        },
      ),
    )
  })

  test("is released after each exchange, whether it was refused or not", async () => {
    const encrypts = {
      action: "encrypt",
      selections: [{ type: "json", selector: "$.a", role: null }],
    } as const
    const routes = [{ method: null, path: "/**", request: [encrypts], response: [] }]
    const world = await createHandlerWorld({ routes, memory: memoryOfBytes(1_400) })
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
      expect((await sendOf('{"a":1', " ".repeat(500), "}")).code).toBe("service-unavailable")
    }
  })

  test("counts what bodies decompress to as if it had arrived, and each value that is changed", async () => {
    const encrypts = {
      action: "encrypt",
      selections: [{ type: "json", selector: "$[*]", role: null }],
    } as const
    const routes = [{ method: null, path: "/**", request: [encrypts], response: [] }]
    const memory = new MemoryBudget({
      receivedBytes: 170_000,
      workingBytes: 253_334,
      waits: new Deadlines(5),
    })
    const world = await createHandlerWorld({ routes, memory })
    const plain = ["Host", HOST, "Content-Type", "application/json"]
    const send = (body: Buffer, more: readonly string[] = []) =>
      world.send({ rawHeaders: [...plain, ...more], body })
    const gzip = (text: string) => send(gzipSync(text), ["Content-Encoding", "gzip"])
    const spaces = (count: number) => `[${" ".repeat(count)}]`
    const ones = (count: number) => Buffer.from(JSON.stringify(Array.from({ length: count }, () => 1)))
    expect((await gzip(spaces(90_000))).status).toBe(200)
    expect((await gzip(spaces(100_000))).code).toBe("service-unavailable")
    expect((await send(ones(350))).status).toBe(200)
    expect((await send(ones(410))).code).toBe("service-unavailable")
  })

  test("is waited for by a body once it is decoded, as by one that was not encoded", async () => {
    const encrypts = {
      action: "encrypt",
      selections: [{ type: "json", selector: "$.a", role: null }],
    } as const
    const routes = [{ method: null, path: "/**", request: [encrypts], response: [] }]
    const memory = new MemoryBudget({ receivedBytes: 16 * MB, workingBytes: 24 * MB })
    const world = await createHandlerWorld({ routes, memory })
    const other = createExchangeMemory(memory, ownerOf("b"), new AbortController())
    await other.reserve(memory.mostForOne)
    const rawHeaders = ["Host", HOST, "Content-Type", "application/json", "Content-Encoding", "gzip"]
    const text = `{"a":1,"b":"${"x".repeat(2 * MB)}"}`
    const sent = [gzipSync(text), Readable.from([gzipSync(text)])].map(async (body) => {
      const { status, release } = await world.send({ rawHeaders, body, contentLength: null })
      release?.()
      return status
    })
    await expect.poll(() => memory.waiting).toBe(2)
    other.release()
    expect(await Promise.all(sent)).toEqual([200, 200])
  })

  test("is enough for one body with the maximum number of values", async () => {
    const encrypts = {
      action: "encrypt",
      selections: [{ type: "json", selector: "$[*]", role: null }],
    } as const
    const routes = [{ method: null, path: "/**", request: [encrypts], response: [] }]
    const world = await createHandlerWorld({ routes })
    const texts = Array.from({ length: 250_000 }, (_, index) => `${index}`.padStart(17, "x"))
    const body = Buffer.from(JSON.stringify(texts))
    expect(body.length).toBeGreaterThan(5_000_000)
    const rawHeaders = ["Host", HOST, "Content-Type", "application/json"]
    expect((await world.send({ rawHeaders, body })).status).toBe(200)
  })

  test("is reserved for a body as far as there is any, because few take so much", async () => {
    const encrypts = {
      action: "encrypt",
      selections: [{ type: "json", selector: "$.a", role: null }],
    } as const
    const routes = [{ method: null, path: "/**", request: [encrypts], response: [] }]
    const world = await createHandlerWorld({ routes, memory: memoryOfBytes(30_000) })
    const rawHeaders = ["Host", HOST, "Content-Type", "application/json"]
    const body = Buffer.from(`{"a":1,"b":"${"x".repeat(5_000)}"}`)
    expect((await world.send({ rawHeaders, body })).status).toBe(200)
  })

  test("is waited for by a body that is changed, and no longer when its client has left", async () => {
    const budget = new MemoryBudget({ receivedBytes: 100, workingBytes: 100 })
    const first = createExchangeMemory(budget, ownerOf("a"), new AbortController())
    const leaving = new AbortController()
    const [waiting, gone] = [new AbortController(), leaving].map((each) =>
      createExchangeMemory(budget, ownerOf("a"), each),
    )
    await first.reserve(70)
    const reserved = waiting?.reserve(70)
    const refused = expect(gone?.reserve(70)).rejects.toMatchObject({ name: "CancelledError" })
    leaving.abort()
    await refused
    first.release()
    await reserved
    waiting?.take(70)
    expect(budget.bytes).toBe(70)
    expect(() => waiting?.take(6)).toThrow(REFUSED)
  })

  test("is not held for the values of a request while its destination answers slowly", async () => {
    const encrypts = {
      action: "encrypt",
      selections: [{ type: "json", selector: "$[*]", role: null }],
    } as const
    const routes = [{ method: null, path: "/**", request: [encrypts], response: [] }]
    const arrived = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<{ body: string }>()
    const world = await createHandlerWorld({ routes, memory: memoryOfBytes(133_334) }, () => {
      arrived.resolve()
      return answered.promise
    })
    const rawHeaders = ["Host", HOST, "Content-Type", "application/json"]
    const body = Buffer.from(JSON.stringify(Array.from({ length: 140 }, () => 1)))
    const first = world.send({ rawHeaders, body })
    await arrived.promise
    const second = world.send({ rawHeaders, body })
    answered.resolve({ body: "{}" })
    expect([(await first).status, (await second).status]).toEqual([200, 200])
  })

  test("counts an answer until its client has read it, changed or not", async () => {
    const encrypts = {
      action: "encrypt",
      selections: [{ type: "json", selector: "$.a", role: null }],
    } as const
    const body = `{"pad":"${"x".repeat(590)}"}`
    // Reading it takes room for the rows of its tree.
    for (const [response, bytes] of [[[encrypts], 1_600] as const, [[], 1_000] as const]) {
      const routes = [{ method: null, path: "/**", request: [], response: [...response] }]
      const world = await createHandlerWorld({ routes, memory: memoryOfBytes(bytes) }, () => ({ body }))
      const first = await world.send({})
      expect(first.text).toBe(body)
      expect((await world.send({})).code).toBe("service-unavailable")
      first.release?.()
      first.release?.()
      expect((await world.send({})).text).toBe(body)
      expect((await world.send({})).code).toBe("service-unavailable")
    }
  })

  test("counts what is held of a streamed answer until the stream closes", async () => {
    const encrypts = {
      action: "encrypt",
      selections: [{ type: "file", selector: "doc", role: null }],
    } as const
    const routes = [{ method: null, path: "/**", request: [], response: [encrypts] }]
    const disposition = 'Content-Disposition: form-data; name="doc"; filename="a"\r\n\r\n'
    // Small enough to be held, and larger than what is forwarded as a whole once encrypted. A boundary that no
    // encrypted file contains by chance.
    const boundary = "b".repeat(20)
    const body = Buffer.from(`--${boundary}\r\n${disposition}${"x".repeat(5_242_760)}\r\n--${boundary}--\r\n`)
    const world = await createHandlerWorld({ routes, memory: memoryOfBytes(25_200_000) }, () => ({
      headers: [
        "Content-Type",
        `multipart/form-data; boundary=${boundary}`,
        "Content-Length",
        String(body.length),
      ],
      body: Readable.from([body]),
    }))
    const ask = () =>
      world.handler({
        id: "r",
        mode: "reverse",
        method: "GET",
        target: "/",
        scheme: "https",
        host: HOST,
        port: null,
        rawHeaders: ["Host", HOST],
        body: null,
        contentLength: null,
        refusal: null,
        ip: "192.0.2.1",
        trailers: () => [],
        signal: new AbortController().signal,
        credentials: null,
      })
    const waiting = [await ask(), await ask(), await ask()]
    expect(waiting.map(({ body: each }) => each instanceof Readable)).toEqual([true, true, true])
    expect((await ask()).status).toBe(503)
    for (const { body: each } of waiting) if (each instanceof Readable) each.destroy()
    await new Promise((resolve) => setImmediate(resolve))
    expect((await ask()).status).toBe(200)
  })
})
