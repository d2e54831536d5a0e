import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { SignatureRefusal, VerifySignature } from "./verify-signature.ts"

/**
 * Puts the signature check in front of a server that has none. Call it before the server listens.
 *
 * Listening on loopback keeps out other machines, but neither this machine's other users nor web pages: a browser
 * reaches 127.0.0.1 too.
 *
 * @param status of refusals. Default: 400
 */
export function admitSignedRequestsOnly(server: Server, verify: VerifySignature, status = 400): void {
  const listeners = server.listeners("request")
  const admit = (isContinueExpected: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    verify(request)
      .then((refusal) => {
        if (refusal !== null) return refuse(response, refusal, status)
        if (isContinueExpected) response.writeContinue()
        for (const listener of listeners) Reflect.apply(listener, server, [request, response])
      })
      .catch((error) => response.destroy(error))
  }
  server.removeAllListeners("request")
  server.on("request", admit(false))
  // The client waits with the body, which may be large: a refusal comes before it.
  server.on("checkContinue", admit(true))
}

function refuse(response: ServerResponse, { type, message }: SignatureRefusal, status: number): void {
  // The body was not read, so the connection cannot be reused.
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0", connection: "close" })
  response.end(JSON.stringify({ __type: type, message }))
}
