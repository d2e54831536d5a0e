import { runInNewContext } from "node:vm"
import { describe, expect, test } from "vitest"
import type { Transport } from "../requests/transport.ts"
import { convertDocument } from "./convert-document.ts"

const MB = 1_048_576

/** A service that answers with what it gets, and the sizes of the files that it got. */
function echo() {
  const sizes: number[] = []
  const transport: Transport = {
    async send({ body }) {
      const { content } = body ?? {}
      if (content instanceof Uint8Array) sizes.push(content.length)
      return { status: 200, headers: new Headers(), content }
    },
  }
  return { sizes, transport }
}

/** A stream of so many chunks, and what happens to it. */
function streamOf(chunkOf: () => unknown, count: number) {
  const seen = { pulls: 0, isCancelled: false }
  const stream = new ReadableStream<unknown>(
    {
      pull(controller) {
        seen.pulls += 1
        controller.enqueue(chunkOf())
        if (seen.pulls === count) controller.close()
      },
      cancel() {
        seen.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { seen, stream }
}

describe("a stream to decrypt", () => {
  test("is sent when it has 26 MB, and its answer is a stream", async () => {
    const { seen, stream } = streamOf(() => new Uint8Array(MB), 26)
    const { sizes, transport } = echo()
    expect(await convertDocument(transport, { path: "/decrypt" }, stream)).toBeInstanceOf(ReadableStream)
    expect([sizes, seen.isCancelled]).toEqual([[26 * MB], false])
  })

  test("is read no further, and not sent, when it never ends", async () => {
    const { seen, stream } = streamOf(() => new Uint8Array(MB), Number.POSITIVE_INFINITY)
    const { sizes, transport } = echo()
    await expect(convertDocument(transport, { path: "/decrypt" }, stream)).rejects.toThrow(RangeError)
    expect([sizes, seen]).toEqual([[], { pulls: 27, isCancelled: true }])
  })

  test("is refused with a TypeError when it is one of text", async () => {
    const { seen, stream } = streamOf(() => "text", 2)
    const { sizes, transport } = echo()
    await expect(convertDocument(transport, { path: "/decrypt" }, stream)).rejects.toThrow(TypeError)
    expect([sizes, seen]).toEqual([[], { pulls: 1, isCancelled: true }])
  })
})

test("sends bytes of another realm as a file", async () => {
  const { sizes, transport } = echo()
  const bytes: unknown = runInNewContext("new Uint8Array(5)")
  await convertDocument(transport, { path: "/decrypt" }, bytes)
  expect(sizes).toEqual([5])
})
