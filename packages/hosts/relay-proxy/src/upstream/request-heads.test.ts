import { PassThrough } from "node:stream"
import { describe, expect, test } from "vitest"
import { RequestHeads } from "./request-heads.ts"

const HEAD = { method: "POST", target: "/a", rawHeaders: ["A", "1", "HOST", "h"], body: null }
const LINE = "POST /a HTTP/1.1\r\n"
const REFERRING = `${LINE}host: d\r\nconnection: keep-alive\r\nx-head: 1\r\n`

/** Creates a connection with a registered head, and collects its output. */
function connection(body: Buffer | null = null) {
  const heads = new RequestHeads()
  const socket = new PassThrough()
  const errors: unknown[] = []
  socket.on("error", (error) => errors.push(error))
  heads.writeOn(socket)
  return {
    heads,
    socket,
    errors,
    reference: heads.refer({ ...HEAD, body }).reference,
    write: (text: string) => socket.write(text, "latin1"),
    written: () => String(socket.read() ?? ""),
  }
}

describe("output of the HTTP client", () => {
  test.each([
    ["a head", `${REFERRING}\r\n`, `${LINE}A: 1\r\nHOST: h\r\n\r\n`],
    [
      "a head and a length",
      `${REFERRING}content-length: 7\r\n\r\n`,
      `${LINE}A: 1\r\nHOST: h\r\ncontent-length: 7\r\n\r\n`,
    ],
    [
      "a head that a chunk follows",
      `${REFERRING}transfer-encoding: chunked\r\n`,
      `${LINE}A: 1\r\nHOST: h\r\ntransfer-encoding: chunked\r\n`,
    ],
    ["the size of a chunk", "\r\n1f\r\n", "\r\n1f\r\n"],
    ["the end of chunks", "\r\n0\r\n\r\n", "\r\n0\r\n\r\n"],
  ])("is sent with the referenced head: %s", (_, text, expected) => {
    const { write, written, errors } = connection()
    write(text)
    expect(written()).toBe(expected)
    expect(errors).toEqual([])
  })

  test("is sent unchanged when it is body bytes", () => {
    const { socket, written } = connection()
    socket.write(Buffer.from(`${REFERRING}\r\n`))
    expect(written()).toBe(`${REFERRING}\r\n`)
  })

  test.each([
    ["refers to no head", `${LINE}host: d\r\nconnection: keep-alive\r\n\r\n`],
    ["refers to a head that is forgotten", `${REFERRING.replace("x-head: 1", "x-head: 2")}\r\n`],
    ["has another line than the head", `${REFERRING.replace("/a", "/b")}\r\n`],
    ["has a longer line than the head", `${REFERRING.replace("HTTP/1.1", "HTTP/1.1 ")}\r\n`],
    ["has a header more", `${REFERRING}x: y\r\n\r\n`],
    ["upgrades the connection", `${REFERRING.replace("keep-alive", "upgrade")}\r\n`],
    ["is no head", "hello"],
    ["is nothing", ""],
  ])("ends the connection, and is not sent, when it %s", (_, text) => {
    const { socket, write, written } = connection()
    expect(write(text)).toBe(false)
    expect(written()).toBe("")
    expect(socket.destroyed).toBe(true)
  })

  test("ends the connection when it references a forgotten head", () => {
    const { heads, reference, socket, write } = connection()
    heads.forget(reference)
    write(`${REFERRING}\r\n`)
    expect(socket.destroyed).toBe(true)
  })

  describe("with a small body", () => {
    const body = Buffer.from("\u00e9\n\0\r\n", "utf8")
    const framed = `${REFERRING}content-length: ${body.length}\r\n\r\n`

    test("is one write, of the body's bytes once", () => {
      const { socket, write } = connection(body)
      const chunks: Buffer[] = []
      socket.on("data", (chunk: Buffer) => chunks.push(chunk))
      write(framed)
      socket.write(body)
      write(`${LINE}host: d\r\nconnection: keep-alive\r\nx-head: 1\r\ncontent-length: 6\r\n\r\n`)
      const head = Buffer.from(`${LINE}A: 1\r\nHOST: h\r\ncontent-length: 6\r\n\r\n`)
      expect(chunks).toEqual([Buffer.concat([head, body]), Buffer.concat([head, body])])
    })

    test.each([
      ["another body", Buffer.from(body)],
      ["a chunk's size", "\r\n1f\r\n"],
    ])("ends the connection when %s follows", (_, chunk) => {
      const { socket, write, written } = connection(body)
      write(framed)
      written()
      expect(socket.write(chunk, "latin1")).toBe(false)
      expect(written()).toBe("")
      expect(socket.destroyed).toBe(true)
    })
  })

  test("has a large body in another write", () => {
    const body = Buffer.alloc(16 * 1024 + 1, "x")
    const { socket, write } = connection(body)
    const chunks: Buffer[] = []
    socket.on("data", (chunk: Buffer) => chunks.push(chunk))
    write(`${REFERRING}content-length: ${body.length}\r\n\r\n`)
    socket.write(body)
    expect(chunks.map(({ length }) => length)).toEqual([expect.any(Number), body.length])
  })
})
