import { expect, test } from "vitest"
import { encodeFrame, FrameReader } from "./frames.ts"

const MAX_FRAME_BYTES = 1_000

test("assembles frames however they are split", () => {
  const bytes = Buffer.concat([encodeFrame("I", Buffer.from("one")), encodeFrame("I", Buffer.alloc(0))])
  for (let size = 1; size <= bytes.length; size++) {
    const reader = new FrameReader(MAX_FRAME_BYTES)
    const frames = []
    for (let at = 0; at < bytes.length; at += size)
      frames.push(...(reader.read(bytes.subarray(at, at + size)) ?? []))
    expect(frames.map(({ type, body }) => type + body)).toEqual(["Ione", "I"])
  }
})

test("refuses a frame that is longer than allowed before it arrives", () => {
  const header = (bodyBytes: number) => {
    const bytes = Buffer.from("S0000", "latin1")
    bytes.writeUInt32BE(bodyBytes, 1)
    return bytes
  }
  expect(new FrameReader(MAX_FRAME_BYTES).read(header(MAX_FRAME_BYTES))).toEqual([])
  expect(new FrameReader(MAX_FRAME_BYTES).read(header(MAX_FRAME_BYTES + 1))).toBeNull()
})

test("keeps none of the received buffers, which are larger than their content", () => {
  const reader = new FrameReader(MAX_FRAME_BYTES)
  const frames = [...encodeFrame("I", Buffer.from("one"))].flatMap((byte) => {
    const piece = Buffer.from([byte])
    const read = reader.read(piece)
    piece.fill(0)
    return read ?? []
  })
  expect(frames.map(({ type, body }) => type + body)).toEqual(["Ione"])
})
