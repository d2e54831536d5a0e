import type { Socket } from "node:net"

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The code of a problem; null where the answer is not a problem. */
  readonly code: unknown
  readonly body: string
  readonly socket: Socket
}

/** Sends bytes, and reads the head and the body of their answer. */
export function exchange(socket: Socket, bytes: string): Promise<RawAnswer> {
  socket.write(bytes)
  return readAnswer(socket)
}

/** Reads an answer that has a Content-Length, or neither that nor a body. */
export async function readAnswer(socket: Socket): Promise<RawAnswer> {
  let text = ""
  const isWhole = () => {
    const headEnd = text.indexOf("\r\n\r\n")
    if (headEnd === -1) return false
    const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? "0"
    return text.length >= headEnd + 4 + Number(length)
  }
  await new Promise<void>((resolve, reject) => {
    const finish = () => {
      socket.off("data", read)
      socket.off("close", fail)
      socket.pause()
      resolve()
    }
    const read = (chunk: Buffer) => {
      text += chunk.toString("latin1")
      if (isWhole()) finish()
    }
    const fail = () => reject(new Error(`The connection is closed after ${JSON.stringify(text)}`))
    socket.on("data", read)
    socket.once("close", fail)
    socket.resume()
  })
  const [head = "", body = ""] = text.split(/\r\n\r\n(.*)/s)
  const [statusLine = "", ...lines] = head.split("\r\n")
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  )
  const parsed: unknown = headers["content-type"]?.includes("json") ? JSON.parse(body) : null
  const code = typeof parsed === "object" && parsed !== null && "code" in parsed ? parsed.code : null
  return { status: Number(statusLine.split(" ")[1]), headers, code, body, socket }
}
