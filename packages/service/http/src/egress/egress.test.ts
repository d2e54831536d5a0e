import type { LookupAddress } from "node:dns"
import type { LookupFunction } from "node:net"
import { describe, expect, test } from "vitest"
import { createEgress, type EgressOptions, MAX_ANSWER_BYTES } from "./egress.ts"
import { EgressError } from "./egress-error.ts"
import { type Answer, startReceiver } from "./testing/receiver.ts"

const PAYLOAD = { headers: { "content-type": "application/json", "x-marker": "m" }, body: '{"a":1}' }
const answerOk: Answer = (_, response) => response.writeHead(200).end("ok")

/** Posts to a receiver on loopback. */
async function exchange(answer: Answer, options: Partial<EgressOptions> = {}) {
  await using receiver = await startReceiver(answer)
  const egress = createEgress({ allowPrivate: true, ...options })
  try {
    const result = await egress.post({ url: `${receiver.url}hook?a=b`, ...PAYLOAD }).catch((error) => error)
    return { result, received: receiver.received }
  } finally {
    await egress.close()
  }
}

/** Creates a resolver that returns the next list on each call, and counts the calls. */
function resolver(...answers: readonly string[][]) {
  const asked: string[] = []
  const lookup: LookupFunction = (hostname, _, callback) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? []
    asked.push(hostname)
    const found: LookupAddress[] = addresses.map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4,
    }))
    process.nextTick(() => callback(null, found))
  }
  return { lookup, asked }
}

describe("posting to a destination", () => {
  test("sends path, query, headers and body, and returns status and headers of the answer", async () => {
    const { result, received } = await exchange((_, response) =>
      response.writeHead(202, { "retry-after": "7" }).end("ok"),
    )
    expect(result).toMatchObject({ status: 202, headers: { "retry-after": "7" } })
    expect(received).toEqual([
      {
        method: "POST",
        path: "/hook?a=b",
        headers: expect.objectContaining({
          ...PAYLOAD.headers,
          host: expect.stringMatching(/^127\.0\.0\.1:/),
        }),
        body: PAYLOAD.body,
      },
    ])
  })

  test("follows no redirect", async () => {
    await using target = await startReceiver(answerOk)
    const { result } = await exchange((_, response) =>
      response.writeHead(307, { location: target.url }).end(),
    )
    expect(result).toMatchObject({ status: 307 })
    expect(target.received).toEqual([])
  })

  test("accepts an answer with a longer body than it reads", async () => {
    let written = 0
    const { result } = await exchange((_, response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16 * 1024))) written += 16 * 1024
      }
      response.on("drain", more)
      more()
    })
    expect(result).toMatchObject({ status: 200 })
    expect(written).toBeLessThan(64 * MAX_ANSWER_BYTES)
  })

  test.each<[string, Answer]>([
    ["before it answers", (_, __, raw) => raw.socket.destroy()],
    [
      "in the middle of its answer",
      (_, response, raw) => {
        response.writeHead(200, { "content-length": "100" }).write("half", () => raw.socket.destroy())
      },
    ],
    ["after something that is not HTTP", (_, __, raw) => raw.socket.end("SSH-2.0-OpenSSH\r\n")],
  ])("fails as unreachable when the destination closes the connection %s", async (_, answer) => {
    const { result } = await exchange(answer)
    expect(result).toMatchObject({ name: "EgressError", reason: "unreachable" })
  })

  test.each<[string, Answer]>([
    ["never answers", () => undefined],
    ["stalls in the middle of its answer", (_, response) => response.writeHead(200).write("half")],
    [
      "dribbles its answer",
      (_, response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write("."), 20)
        response.on("close", () => clearInterval(timer))
      },
    ],
  ])("fails as timeout when the destination %s", async (_, answer) => {
    const { result } = await exchange(answer, { totalTimeoutMs: 300 })
    expect(result).toMatchObject({ name: "EgressError", reason: "timeout" })
  })

  test("fails as timeout when the name does not resolve in time", async () => {
    const egress = createEgress({ allowPrivate: true, lookup: () => undefined, connectTimeoutMs: 100 })
    await expect(egress.post({ url: "http://name.example/", ...PAYLOAD })).rejects.toMatchObject({
      reason: "timeout",
    })
    await egress.close()
  })

  test("fails as unreachable when the port is closed, and when the name does not exist", async () => {
    const { port } = await startReceiver(answerOk).then(async (receiver) => {
      await receiver[Symbol.asyncDispose]()
      return receiver
    })
    const lookup: LookupFunction = (_, __, callback) =>
      callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), "")
    const egress = createEgress({ allowPrivate: true, lookup })
    for (const url of [`http://127.0.0.1:${port}/`, "http://name.example/"]) {
      await expect(egress.post({ url, ...PAYLOAD })).rejects.toMatchObject({ reason: "unreachable" })
    }
    await egress.close()
  })

  test("fails as unreachable when the destination does not speak TLS", async () => {
    await using receiver = await startReceiver(answerOk)
    const egress = createEgress({ allowPrivate: true })
    const posting = egress.post({ url: receiver.url.replace("http:", "https:"), ...PAYLOAD })
    await expect(posting).rejects.toMatchObject({ reason: "unreachable" })
    expect(receiver.received).toEqual([])
    await egress.close()
  })
})

describe("a destination that is not allowed", () => {
  test.each([
    "https://127.0.0.1:1/",
    "https://[::1]:1/",
    "https://2130706433:1/",
    "https://localhost:1/",
    "https://169.254.169.254/",
    "http://example.com/",
    "https://user:password@example.com/",
    "nonsense",
  ])("is refused by its URL: %s", async (url) => {
    const { lookup, asked } = resolver(["127.0.0.1"])
    const egress = createEgress({ allowPrivate: false, lookup })
    await expect(egress.post({ url, ...PAYLOAD })).rejects.toMatchObject({ reason: "destination-refused" })
    expect(asked).toEqual([])
    await egress.close()
  })

  test.each([
    [["127.0.0.1"]],
    [["1.1.1.1", "127.0.0.1"]],
    [["2606:4700::1111", "::ffff:127.0.0.1"]],
    [["169.254.169.254"]],
    [["fd00:ec2::254"]],
    [["0.0.0.0"]],
    [[]],
  ])("is refused by the addresses of its name, before connecting: %j", async (addresses) => {
    const { lookup, asked } = resolver(addresses)
    const egress = createEgress({ allowPrivate: false, lookup })
    const posting = egress.post({ url: "https://rebound.example/", ...PAYLOAD })
    await expect(posting).rejects.toMatchObject({ reason: "destination-refused" })
    expect(asked).toEqual(["rebound.example"])
    await egress.close()
  })

  test("is refused when the name resolves to a different address on the next connection", async () => {
    await using receiver = await startReceiver((_, response) =>
      response.writeHead(200, { connection: "close" }).end(),
    )
    const { lookup, asked } = resolver(["127.0.0.1"], ["169.254.169.254"])
    const egress = createEgress({ allowPrivate: true, lookup })
    const url = `http://rebound.example:${receiver.port}/`
    expect(await egress.post({ url, ...PAYLOAD })).toMatchObject({ status: 200 })
    await expect(egress.post({ url, ...PAYLOAD })).rejects.toMatchObject({ reason: "destination-refused" })
    expect(asked).toEqual(["rebound.example", "rebound.example"])
    expect(receiver.received).toHaveLength(1)
    await egress.close()
  })

  test("is refused for users of the dispatcher, by literal address and by name", async () => {
    await using receiver = await startReceiver(answerOk)
    const { lookup } = resolver(["127.0.0.1"])
    const { dispatcher, close } = createEgress({ allowPrivate: false, lookup })
    for (const host of ["127.0.0.1", "name.example"]) {
      const asking = dispatcher.request({
        origin: `http://${host}:${receiver.port}`,
        path: "/",
        method: "GET",
      })
      await expect(asking).rejects.toBeInstanceOf(EgressError)
    }
    expect(receiver.received).toEqual([])
    await close()
  })
})
