import { createSocket } from "node:dgram"
import { once } from "node:events"
import { type Answer, decode, encode } from "dns-packet"

/** The records of a name. */
interface Records {
  readonly TXT?: readonly (string | readonly string[])[]
  readonly CNAME?: string
  readonly A?: readonly string[]
  readonly AAAA?: readonly string[]
  /** Instead of an answer: an error of the name server, or nothing at all. */
  readonly failure?: "SERVFAIL" | "REFUSED" | "silence"
}

export interface DnsServer {
  /** `127.0.0.1:<port>` */
  readonly address: string
  /** Lower-case names. A missing name does not exist. */
  readonly zone: Map<string, Records>
  close(): Promise<void>
}

/** RFC 1035 section 4.1.1. */
const RESPONSE_CODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const

/** Starts a name server on UDP that answers from a map. */
export async function startDnsServer(): Promise<DnsServer> {
  const zone = new Map<string, Records>()
  const socket = createSocket("udp4")
  socket.on("message", (message, { port, address }) => {
    const { id, questions } = decode(message)
    const [question] = questions ?? []
    if (question === undefined) return
    const records = zone.get(question.name.toLowerCase())
    if (records?.failure === "silence") return
    const code = records === undefined ? "NXDOMAIN" : records.failure
    const answer = encode({
      ...(id !== undefined && { id }),
      type: "response",
      // The low four bits are the response code.
      flags: code === undefined ? 0 : RESPONSE_CODES[code],
      questions: [question],
      answers: records === undefined || code !== undefined ? [] : answersOf(question, records),
    })
    socket.send(answer, port, address)
  })
  socket.bind(0, "127.0.0.1")
  await once(socket, "listening")
  return {
    address: `127.0.0.1:${socket.address().port}`,
    zone,
    close: () => new Promise((resolve) => socket.close(resolve)),
  }
}

function answersOf(
  { name, type }: { readonly name: string; readonly type: string },
  records: Records,
): Answer[] {
  switch (type) {
    case "TXT":
      return (records.TXT ?? []).map((data) => ({ type, name, ttl: 60, data: textsOf(data) }))
    case "CNAME":
      return records.CNAME === undefined ? [] : [{ type, name, ttl: 60, data: records.CNAME }]
    case "A":
      return (records.A ?? []).map((data) => ({ type, name, ttl: 60, data }))
    case "AAAA":
      return (records.AAAA ?? []).map((data) => ({ type, name, ttl: 60, data }))
    default:
      return []
  }
}

/** Splits a text of more than 255 bytes into parts (RFC 1035 section 3.3). */
function textsOf(text: string | readonly string[]): string[] {
  return typeof text === "string" ? [text] : [...text]
}
