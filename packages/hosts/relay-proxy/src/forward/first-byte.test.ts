import { Duplex } from "node:stream"
import { expect, test } from "vitest"
import { peekFirstByte } from "./first-byte.ts"

const newSocket = () => new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })

test.each([
  ["tls", Buffer.from([0x16, 3, 1])],
  ["other", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
  ["other", Buffer.from([0])],
])("recognises %s by the first byte, and leaves all bytes unread", async (expected, bytes) => {
  const socket = newSocket()
  const peeked = peekFirstByte(socket)
  // In pieces, more of which may arrive before anyone reads.
  socket.push(bytes.subarray(0, 1))
  expect(await peeked).toBe(expected)
  socket.push(bytes.subarray(1))
  socket.push(null)
  expect(Buffer.concat(await Array.fromAsync(socket))).toEqual(bytes)
})

test("recognises bytes that arrived before the call", async () => {
  const socket = newSocket()
  socket.push(Buffer.from([0x16]))
  expect(await peekFirstByte(socket)).toBe("tls")
})

test("is null for a connection that ends or closes without a byte, even before the call", async () => {
  const ended = newSocket()
  const peeked = peekFirstByte(ended)
  ended.push(null)
  expect(await peeked).toBeNull()
  expect(await peekFirstByte(ended)).toBeNull()

  const closed = newSocket()
  const waiting = peekFirstByte(closed)
  closed.destroy()
  expect(await waiting).toBeNull()
})
