import { createSocket, type Socket } from "node:dgram"
import { Resolver } from "node:dns"
import { once } from "node:events"
import { isIP, isIPv6, SocketAddress } from "node:net"

export interface NameServer {
  readonly host: string
  readonly port: number
}

const PORT = 53
/** As many as resolvers ask. */
const MAX_SERVERS = 3
const ANSWER_TIMEOUT_MS = 2_000
/** Of one function. Programs repeat a query that gets no answer. */
const MAX_QUERIES = 64
/** The header of a message (RFC 1035 section 4.1.1). */
const HEADER_BYTES = 12

/** Returns this machine's name servers, as they are configured now. */
export function machineNameServers(): NameServer[] {
  return new Resolver()
    .getServers()
    .slice(0, MAX_SERVERS)
    .flatMap((text) => {
      if (isIP(text) !== 0) return [{ host: text, port: PORT }]
      const parsed = SocketAddress.parse(text)
      return parsed === undefined ? [] : [{ host: parsed.address, port: parsed.port || PORT }]
    })
}

/** Passes the queries that arrive at a socket on to name servers, one after another, and their answers back. */
export function answerQueries(socket: Socket, servers: readonly NameServer[]): void {
  let queries = 0
  let isClosed = false
  socket.once("close", () => {
    isClosed = true
  })
  socket.on("error", () => undefined)
  socket.on("message", async (query, from) => {
    if (queries >= MAX_QUERIES || query.length < HEADER_BYTES) return
    queries++
    const answer = await ask(servers, query)
    queries--
    if (answer !== null && !isClosed) socket.send(answer, from.port, from.address, () => undefined)
  })
}

async function ask(servers: readonly NameServer[], query: Buffer): Promise<Buffer | null> {
  for (const server of servers) {
    const answer = await askOne(server, query).catch(() => null)
    if (answer !== null) return answer
  }
  return null
}

/** From a new port each time: an answer must know it, and the query's id. The kernel drops those of other senders. */
async function askOne({ host, port }: NameServer, query: Buffer): Promise<Buffer> {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4")
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
  try {
    socket.connect(port, host)
    await once(socket, "connect", { signal })
    socket.send(query)
    while (true) {
      const [answer] = await once(socket, "message", { signal })
      if (answer instanceof Buffer && answer.readUInt16BE() === query.readUInt16BE()) return answer
    }
  } finally {
    socket.close()
  }
}
