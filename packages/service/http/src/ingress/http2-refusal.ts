/** What the HTTP parser reports when a connection begins with the preface of HTTP/2 (RFC 9113 section 3.4). */
export const HTTP2_PREFACE = "HPE_PAUSED_H2_UPGRADE"

/** RFC 9113 sections 6.5, 6.8 and 7. */
const SETTINGS = 0x4
const GOAWAY = 0x7
const HTTP_1_1_REQUIRED = 0xd

/**
 * The answer to a client that speaks HTTP/2 without having negotiated it, and would not understand an answer in
 * HTTP/1.1: the server's preface, an empty SETTINGS, and a GOAWAY that asks for HTTP/1.1.
 */
export const HTTP2_REFUSAL = Buffer.concat([frame(SETTINGS, Buffer.alloc(0)), frame(GOAWAY, goAway())])

function goAway(): Buffer {
  const payload = Buffer.alloc(8)
  // The last stream that was processed is 0: none.
  payload.writeUInt32BE(HTTP_1_1_REQUIRED, 4)
  return Buffer.concat([payload, Buffer.from("Use HTTP/1.1.")])
}

/** Builds a frame of the connection, stream 0, without flags. */
function frame(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  return Buffer.concat([head, payload])
}
