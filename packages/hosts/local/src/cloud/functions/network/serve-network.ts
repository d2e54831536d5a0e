import type { ChildProcess } from "node:child_process"
import { Socket as DatagramSocket } from "node:dgram"
import { connect, Server, type Socket } from "node:net"
import * as z from "zod"
import { closeHandle } from "./close-handle.ts"
import { forward } from "./forward.ts"
import { type GuardedNetwork, isReachable } from "./function-network.ts"
import { answerQueries, machineNameServers, type NameServer } from "./name-server.ts"
import { FUNCTION_ADDRESS, NAME_SERVER_PORT } from "./network-view.ts"

/** How functions leave their own networks. */
export interface Outside {
  /** Connects to an address that was judged. */
  dial(destination: { readonly host: string; readonly port: number }): Socket
  /** Returns this machine's name servers. The first one is also asked by TCP. */
  nameServers(): readonly NameServer[]
}

/** This machine's network. */
export const OUTSIDE: Outside = { dial: connect, nameServers: machineNameServers }

interface NetworkOptions {
  readonly network: GuardedNetwork
  readonly outside: Outside
  /** Counts one more connection or listener of the function; see `FunctionConnections`. */
  readonly open: () => (() => void) | null
  /** Receives what the function's author should know about its connections. */
  readonly onLine: (line: string) => void
}

/** Open connections of one instance. Each takes two descriptors of this process. */
const MAX_CONNECTIONS = 128

/** From asm-generic/errno-base.h. */
const EACCES = 13
const EMFILE = 24

/** What the launcher asks: whether the function may connect to an address. A new port comes with its listener. */
const questionSchema = z.object({ address: z.string(), port: z.int().min(1).max(65_535) })

/**
 * Connects a function that has a network of its own: there, every address is the function's. The launcher asks before
 * each connect, and passes the listeners that accept the connections here. What decides is the address of an accepted
 * connection, so a question that was not asked, or about something else, gains nothing.
 */
export function serveNetwork(child: ChildProcess, options: NetworkOptions): void {
  const { network, outside, open, onLine } = options
  const nameServers = outside.nameServers()
  const servers: { close(): unknown }[] = []
  let isOver = false
  const connections = new Set<Socket>()
  const destinationOf = (address: string, port: number) => {
    if (address === FUNCTION_ADDRESS && port === NAME_SERVER_PORT) return nameServers[0] ?? null
    return isReachable(network, address) ? { host: address, port } : null
  }

  const accept = (inner: Socket) => {
    const { localAddress = "", localPort = 0 } = inner
    const destination = destinationOf(localAddress.replace(/^::ffff:(?=[0-9.]+$)/, ""), localPort)
    const closed = destination === null || connections.size >= MAX_CONNECTIONS ? null : open()
    if (destination === null || closed === null) {
      inner.resetAndDestroy()
      return
    }
    connections.add(inner)
    inner.once("close", () => {
      connections.delete(inner)
      closed()
    })
    forward(inner, outside.dial(destination), (code) =>
      onLine(`Connecting to ${destination.host}:${destination.port} failed: ${code}`),
    )
  }

  child.on("message", (message, handle) => {
    // It was still on its way when the child ended.
    if (isOver) return closeHandle(handle)
    if (handle instanceof DatagramSocket) {
      servers.push(handle)
      answerQueries(handle, nameServers)
      return
    }
    const question = questionSchema.safeParse(message)
    if (!question.success) {
      closeHandle(handle)
      child.kill("SIGKILL")
      return
    }
    const { address, port } = question.data
    const isAllowed = destinationOf(address, port) !== null
    const closed = handle instanceof Server && isAllowed ? open() : undefined
    if (handle instanceof Server && closed) {
      servers.push(handle)
      handle.on("connection", accept).on("error", () => undefined)
      handle.once("close", closed)
    } else closeHandle(handle)
    if (!isAllowed) onLine(refusal(address, port, network))
    if (closed === null) onLine("Sealway refused a connection: functions have too many together.")
    child.send({ errno: isAllowed ? (closed === null ? EMFILE : 0) : EACCES }, () => undefined)
  })
  child.once("exit", () => {
    isOver = true
    for (const server of servers) server.close()
    for (const connection of connections) connection.destroy()
  })
}

function refusal(address: string, port: number, network: GuardedNetwork): string {
  const couldBe = network === "public" && isReachable("private", address)
  return `Sealway refused the connection to ${address} port ${port}: ${
    couldBe
      ? "functions may connect to public addresses only, unless Sealway is started with --function-network private."
      : "no function may connect to this address."
  }`
}
