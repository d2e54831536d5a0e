import { once } from "node:events"
import { connect as connectTcp, createServer as createTcpServer, type Socket } from "node:net"
import { createRelayServer } from "@sealway/relay-proxy"
import type {
  InboundRequest,
  OutboundReply,
  RelayHandler,
  RelayServerOptions,
  Upstream,
} from "@sealway/relay-proxy/testing"
import {
  createUpstream,
  forwardRequestHeaders,
  forwardResponseHeaders,
  problemReply,
  type UpstreamOptions,
} from "@sealway/relay-proxy/testing"
import { onTestFinished } from "vitest"

/** A peer that sends what it is told, byte by byte, and shows exactly what it gets: no HTTP library interferes. */
export class RawPeer {
  readonly socket: Socket
  #received = Buffer.alloc(0)
  #isOver = false
  #wake: () => void = () => undefined

  constructor(socket: Socket) {
    this.socket = socket
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#wake()
    })
    const end = () => {
      this.#isOver = true
      this.#wake()
    }
    socket.on("end", end)
    socket.on("close", end)
    // A reset ends the connection like any other close.
    socket.on("error", end)
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes)
    return this
  }

  /** Everything that arrived and is not taken yet, as Latin-1. */
  get received(): string {
    return this.#received.toString("latin1")
  }

  /**
   * Waits until the other side has sent a text, and takes everything up to its end. Returns what arrived, when it
   * closes before.
   */
  async until(text: string): Promise<string> {
    for (;;) {
      const at = this.received.indexOf(text)
      const end = at === -1 ? null : at + text.length
      if (end !== null || this.#isOver) return this.#take(end ?? this.#received.length)
      await this.#somethingHappens()
    }
  }

  /** Reads a whole answer with `Content-Length`, or without body; what arrived when the other side closes before. */
  async answer({ toHead = false } = {}): Promise<RawAnswer> {
    const head = await this.until("\r\n\r\n")
    const [statusLine = "", ...lines] = head.trimEnd().split("\r\n")
    const status = Number(statusLine.split(" ")[1])
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
    const length = Number(headers.find(([name]) => name.toLowerCase() === "content-length")?.[1] ?? 0)
    const size = toHead || status < 200 || status === 204 || status === 304 ? 0 : length
    while (this.#received.length < size && !this.#isOver) await this.#somethingHappens()
    const body = this.#take(size)
    return { status, statusLine, headers, header: (name) => headerOf(headers, name), body }
  }

  /** Waits until the other side has closed, and returns what it still sent. */
  async closed(): Promise<string> {
    while (!this.#isOver) await this.#somethingHappens()
    return this.#take(this.#received.length)
  }

  #take(end: number): string {
    const taken = this.#received.toString("latin1", 0, end)
    this.#received = this.#received.subarray(end)
    return taken
  }

  #somethingHappens(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

export interface RawAnswer {
  readonly status: number
  readonly statusLine: string
  readonly headers: readonly [string, string][]
  header(name: string): string | undefined
  readonly body: string
}

/** Returns a refusal's status, and its code if header and body agree on it. */
export function refusalOf({ status, header, body }: RawAnswer): { status: number; code: string | undefined } {
  const problem: unknown = body === "" ? {} : JSON.parse(body)
  const { code, status: stated } = problem as { code?: string; status?: number }
  const isWhole =
    header("x-service-error-code") === code &&
    stated === status &&
    header("content-type") === "application/problem+json"
  return { status, code: isWhole ? code : `header and body differ: ${body}` }
}

function headerOf(headers: readonly [string, string][], wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
}

export async function connectTo(port: number): Promise<RawPeer> {
  const socket = connectTcp({ port, host: "127.0.0.1", allowHalfOpen: true })
  onTestFinished(() => {
    socket.destroy()
  })
  await once(socket, "connect")
  return new RawPeer(socket)
}

export interface TestServer {
  readonly port: number
  /** Requests that the handler got to answer. */
  readonly requests: InboundRequest[]
  /** Requests that the handler got with a refusal. */
  readonly refused: InboundRequest[]
  readonly errors: unknown[]
  connect(): Promise<RawPeer>
  close(): Promise<void>
  /** Returns whether it still answers a request on a new connection. */
  isServing(): Promise<boolean>
}

/** Answers 200 with the body it got. */
export const echo: RelayHandler = async ({ body }) => reply({ body: await bytesOf(body) })

export async function startServer(
  handler: RelayHandler = echo,
  options: Partial<RelayServerOptions> = {},
): Promise<TestServer> {
  const requests: InboundRequest[] = []
  const refused: InboundRequest[] = []
  const errors: unknown[] = []
  const server = createRelayServer({
    log: { error: (_, fields) => errors.push(fields?.error) },
    ...options,
    // Many of these clients do not hang up.
    limits: { lingerMs: 100, ...options.limits },
    handler: async (request) => {
      const { refusal, mode } = request
      if (refusal !== null) {
        refused.push(request)
        return problemReply(refusal.code, refusal.message, { mode })
      }
      requests.push(request)
      return handler(request)
    },
  })
  const { port } = await server.listen({ port: 0, host: "127.0.0.1" })
  onTestFinished(() => server.close())
  return {
    port,
    requests,
    refused,
    errors,
    connect: () => connectTo(port),
    close: () => server.close(),
    async isServing() {
      const peer = await connectTo(port)
      peer.send("PUT /witness HTTP/1.1\r\nHost: witness\r\nContent-Length: 2\r\n\r\nok")
      const { status } = await peer.answer()
      peer.socket.destroy()
      return status > 0
    },
  }
}

export function reply(given: Partial<OutboundReply> = {}): OutboundReply {
  return { status: 200, statusMessage: null, rawHeaders: [], body: null, trailers: () => [], ...given }
}

export async function bytesOf(body: InboundRequest["body"]): Promise<Buffer> {
  if (body === null) return Buffer.alloc(0)
  if (Buffer.isBuffer(body)) return body
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export interface TestDestination {
  readonly port: number
  /** Connections, in the order in which they came. */
  readonly peers: RawPeer[]
  /** Resolves to the connection of this number, from 0, when it has come. */
  peer(index: number): Promise<RawPeer>
}

/** Starts a destination that only accepts connections: the test plays its part. */
export async function startDestination(): Promise<TestDestination> {
  const peers: RawPeer[] = []
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    peers.push(new RawPeer(socket))
    server.emit("peer")
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    for (const { socket } of peers) socket.destroy()
    server.close()
  })
  const address = server.address()
  const port = address !== null && typeof address === "object" ? address.port : 0
  return {
    port,
    peers,
    async peer(index) {
      for (;;) {
        const found = peers[index]
        if (found !== undefined) return found
        await once(server, "peer")
      }
    },
  }
}

export function startUpstream(options: Partial<UpstreamOptions> = {}): Upstream {
  const upstream = createUpstream({ allowPrivate: true, ...options })
  onTestFinished(() => upstream.close())
  return upstream
}

/** Returns a handler that only forwards. */
export function forwardTo(port: number, upstream: Upstream): RelayHandler {
  return async (request) => {
    const { method, target, rawHeaders, body, contentLength, signal, onInformation } = request
    const host = `127.0.0.1:${port}`
    try {
      const answer = await upstream.send({
        appId: "app_1",
        destination: { scheme: "http", host: "127.0.0.1", port },
        clientCertificate: null,
        method,
        target,
        rawHeaders: forwardRequestHeaders(rawHeaders, { host, method }),
        body,
        contentLength,
        signal,
        onReleased: () => undefined,
        ...(onInformation !== undefined && { onInformation }),
      })
      return { ...answer, rawHeaders: forwardResponseHeaders(answer.rawHeaders) }
    } catch (error) {
      return problemReply(...codeAndDetail(error))
    }
  }
}

function codeAndDetail(error: unknown): Parameters<typeof problemReply> {
  const { code, message } = error as { code: Parameters<typeof problemReply>[0]; message: string }
  return [code, message]
}
