import { setImmediate as turn } from "node:timers/promises"
import type { UpstreamRequest } from "@sealway/relay-proxy/testing"
import { startDestination, startUpstream } from "./server-world.ts"

export const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

export function requestTo(port: number, given: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return {
    appId: "app_1",
    destination: { scheme: "http", host: "127.0.0.1", port },
    clientCertificate: null,
    method: "GET",
    target: "/a",
    rawHeaders: ["Host", "h"],
    body: null,
    contentLength: null,
    signal: new AbortController().signal,
    onReleased: () => undefined,
    ...given,
  }
}

/** Sends a request, lets the destination answer with the given bytes, and closes its connection if told so. */
export async function exchange(
  answer: string,
  { end = false, ...given }: Partial<UpstreamRequest> & { end?: boolean } = {},
) {
  const destination = await startDestination()
  const upstream = startUpstream()
  const sent = upstream.send(requestTo(destination.port, given))
  const peer = await destination.peer(0)
  await peer.until("\r\n\r\n")
  peer.send(answer)
  if (end) peer.socket.end()
  return { reply: await sent, peer, destination, upstream }
}

/** Waits until a connection has been checked before it is used again. */
export async function settled(): Promise<void> {
  await turn()
  await turn()
}

export const failureOf = (sent: Promise<unknown>) =>
  sent.then(
    () => ({ code: "none" }),
    ({ code, stage }) => ({ code, stage }),
  )
