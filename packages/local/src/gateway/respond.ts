import { discardBody } from "@sealway/platform"
import { LINGER_MS } from "./connection.ts"
import type { Exchange } from "./exchange.ts"
import { isBodyless, type ProxyResponse } from "./proxy-result.ts"

/**
 * Answers an exchange whose request has been received.
 *
 * @throws TypeError, with nothing sent, when a header is not one that HTTP can carry
 */
export function respond(exchange: Exchange, answer: ProxyResponse): void {
  const { response, connection, turn } = exchange
  const fields = headerFields(exchange, answer)
  if (connection.isLast(turn)) fields.push("connection", "close")
  // Nothing is sent before `end`, so that head and body leave in one write.
  response.writeHead(answer.statusCode, fields).end(isBodyless(answer.statusCode) ? undefined : answer.body)
  connection.end(turn, response)
}

/** Answers an exchange whose request is still coming in, gives its sender time to notice, and closes the connection. */
export function respondEarly(exchange: Exchange, answer: ProxyResponse): void {
  const { request, response, connection, turn } = exchange
  connection.close()
  response
    .writeHead(answer.statusCode, [...headerFields(exchange, answer), "connection", "close"])
    .write(answer.body)
  discardBody(request, LINGER_MS, () => {
    response.end()
    connection.end(turn, response)
  })
}

/** Names and values in turn: the form that `writeHead` passes on without going through it once more. */
function headerFields({ requestId }: Exchange, answer: ProxyResponse): string[] {
  const fields = ["apigw-requestid", requestId]
  for (const [name, value] of answer.headers) fields.push(name, value)
  for (const cookie of answer.cookies) fields.push("set-cookie", cookie)
  if (!isBodyless(answer.statusCode)) fields.push("content-length", String(Buffer.byteLength(answer.body)))
  return fields
}
