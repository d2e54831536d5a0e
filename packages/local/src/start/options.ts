import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { type ParseArgsOptionsConfig, parseArgs } from "node:util"
import { MB } from "@sealway/kernel"
import type { Configuration, Hosting } from "@sealway/platform"
import { parseHostAddress } from "../addresses/host-address.ts"
import { parseHostName } from "../addresses/host-name.ts"
import { LISTENERS, type ListenAddresses } from "../addresses/listen-problem.ts"
import { LOAD_LIMITS, type LoadLimits } from "../gateway/index.ts"
import { DEFAULT_FUNCTION_RUNS } from "../stage/cloud-clients.ts"

/** For its ports, 0 picks a free one. */
export interface StartOptions extends ListenAddresses {
  /**
   * A file of PEM CA certificates that may issue those of relays' destinations, besides the public ones. Null: none.
   */
  readonly trustFile: string | null
  /** Names of the API in `Host` headers, besides its own. */
  readonly allowedHosts: readonly string[]
  /** Where browsers and card networks reach the API; null: where each request says that it reached it. */
  readonly publicUrl: string | null
  /** What the API takes at a time. */
  readonly load: LoadLimits
  readonly dataFolder: string
  /** Whether to empty a data folder whose parts do not belong together, and start over. */
  readonly acceptLoss: boolean
  readonly json: boolean
  /** Whether to print no keys. */
  readonly hideKeys: boolean
  /** Whether functions may run unconfined when this machine cannot confine them. */
  readonly unconfinedFunctions: boolean
  readonly hosting: Hosting
  readonly logLevel: Configuration["logLevel"]
  /** How many runs of one app's functions may be in progress at once. */
  readonly functionRuns: number
  /** How many processes serve relays and the forward proxy; 1: that of the service. */
  readonly workers: number
}

export const DEFAULT_PORT = 7400

const DEFAULT_HOST = "127.0.0.1"

const MAX_WORKERS = 256
const DEFAULT_WORKERS = Math.min(availableParallelism(), MAX_WORKERS)

export const HELP = `Runs Sealway on this machine: the API and the cloud services it stands on, offline.

Usage: npm start -- [OPTION ...]

  --port PORT      Port of the API; 0 picks a free one (default: ${DEFAULT_PORT})
  --relay-port PORT, --proxy-port PORT, --strict-proxy-port PORT
                   Ports of the relays, of the forward proxy, and of the same for
                   clients that wait to be asked for credentials (default: the three
                   after --port; free ones with --port 0)
  --host ADDRESS   The IPv4 or IPv6 address that all of them listen on; 0.0.0.0 and ::
                   are all of this machine's. There is no TLS (default: ${DEFAULT_HOST})
  --allow-host NAME
                   Another name that the API is called by, as the Host header has it,
                   such as that of a proxy before it; may be given several times
  --public-url URL Where browsers and card networks reach the API, such as a proxy with TLS
                   before it: links that it hands out begin with it (default: where the
                   request for one has reached it)
  --trust FILE     Certificates, in PEM, that relays' destinations may be issued by,
                   besides the public ones
  --data FOLDER    Where data and keys are kept (default: .sealway)
  --accept-loss    Begin again where parts of the data folder are missing or do not fit
                   together. What was encrypted with it can never be decrypted again;
                   the files that are left are moved into it, under lost-TIME
  --limits WHOSE   Size limits of requests: "container" takes files up to 25 MB,
                   "api-gateway" keeps to what AWS Lambda takes (default: container)
  --unconfined-functions
                   Run functions even where this machine cannot keep them away from
                   your files and processes. Only for code that you trust
  --function-runs COUNT
                   Function runs of one app that may be in progress at once; of all
                   apps, twice as many (default: ${DEFAULT_FUNCTION_RUNS})
  --workers COUNT  Processes that share relays and the forward proxy; with 1 the service
                   does it all itself (default: one a processor, here ${DEFAULT_WORKERS})
  --max-requests N, --max-connections N, --max-in-flight MB
                   What the API takes at a time: requests, connections, and bytes of
                   requests and answers (default: ${LOAD_LIMITS.maxRequestsInFlight}, ${LOAD_LIMITS.maxConnections}, ${LOAD_LIMITS.maxBytesInFlight / MB})
  --stall-timeout SECONDS
                   How long a body may stop coming, or an answer stay unread, before
                   the connection is closed (default: ${LOAD_LIMITS.stallTimeoutMs / 1000})
  --verbose        Log every refused request, one line of JSON each
  --json           Print one line of JSON when ready, for scripts
  --hide-keys      Do not print keys; they are in credentials.json of the data folder
  --help           Print this

The first start creates a team, a sandbox app, a production app and their keys.
Ctrl-C stops it; the next start goes on with the same data.
`

/** The command line is invalid; the message says why. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

export const OPTIONS = {
  port: { type: "string" },
  "relay-port": { type: "string" },
  "proxy-port": { type: "string" },
  "strict-proxy-port": { type: "string" },
  host: { type: "string" },
  "allow-host": { type: "string", multiple: true },
  "public-url": { type: "string" },
  trust: { type: "string" },
  data: { type: "string" },
  "accept-loss": { type: "boolean" },
  limits: { type: "string" },
  "unconfined-functions": { type: "boolean" },
  "function-runs": { type: "string" },
  workers: { type: "string" },
  "max-requests": { type: "string" },
  "max-connections": { type: "string" },
  "max-in-flight": { type: "string" },
  "stall-timeout": { type: "string" },
  verbose: { type: "boolean" },
  json: { type: "boolean" },
  "hide-keys": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const satisfies ParseArgsOptionsConfig

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : "The options cannot be read.", {
      cause: error,
    })
  }
}

/** Parses the command line. Returns null when help is requested. @throws UsageError */
export function parseOptions(args: readonly string[], folder: string): StartOptions | null {
  const values = readArguments(args)
  if (values.help === true) return null
  const port = parsePort("--port", values.port, DEFAULT_PORT)
  const addresses = {
    host: values.host === undefined ? DEFAULT_HOST : readHostAddress(values.host),
    port,
    relayPort: parsePort("--relay-port", values["relay-port"], portAfter(port, 1)),
    proxyPort: parsePort("--proxy-port", values["proxy-port"], portAfter(port, 2)),
    strictProxyPort: parsePort("--strict-proxy-port", values["strict-proxy-port"], portAfter(port, 3)),
  }
  refuseSharedPorts(addresses)
  return {
    ...addresses,
    allowedHosts: (values["allow-host"] ?? []).map(readHostName),
    publicUrl: values["public-url"] === undefined ? null : readOrigin(values["public-url"]),
    trustFile: values.trust === undefined ? null : resolve(folder, values.trust),
    dataFolder: resolve(folder, values.data ?? ".sealway"),
    acceptLoss: values["accept-loss"] ?? false,
    json: values.json ?? false,
    hideKeys: values["hide-keys"] ?? false,
    unconfinedFunctions: values["unconfined-functions"] ?? false,
    hosting: parseHosting(values.limits ?? "container"),
    functionRuns: parseFunctionRuns(values["function-runs"]),
    workers: parseWorkers(values.workers),
    load: {
      maxRequestsInFlight:
        parseCount("--max-requests", values["max-requests"]) ?? LOAD_LIMITS.maxRequestsInFlight,
      maxConnections:
        parseCount("--max-connections", values["max-connections"]) ?? LOAD_LIMITS.maxConnections,
      maxBytesInFlight:
        (parseCount("--max-in-flight", values["max-in-flight"]) ?? 0) * MB || LOAD_LIMITS.maxBytesInFlight,
      stallTimeoutMs:
        (parseCount("--stall-timeout", values["stall-timeout"]) ?? 0) * 1000 || LOAD_LIMITS.stallTimeoutMs,
    },
    logLevel: values.verbose === true ? "INFO" : "WARN",
  }
}

const MAX_PORT = 65_535

function parsePort(option: string, text: string | undefined, defaultPort: number): number {
  if (text === undefined) return defaultPort
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= MAX_PORT)) throw new UsageError(`${option} takes a number from 0 to ${MAX_PORT}.`)
  return port
}

/** Returns 0, for a free one, when the port itself is to be a free one, or there is no port after it. */
function portAfter(port: number, distance: number): number {
  return port === 0 || port + distance > MAX_PORT ? 0 : port + distance
}

function refuseSharedPorts(addresses: ListenAddresses): void {
  for (const [index, { port, option }] of LISTENERS.entries()) {
    const other = LISTENERS.slice(0, index).find((each) => addresses[each.port] === addresses[port])
    if (other !== undefined && addresses[port] !== 0) {
      throw new UsageError(
        `${other.option} and ${option} are both ${addresses[port]}. Each needs a port of its own; without an option it is one after --port.`,
      )
    }
  }
}

const MAX_FUNCTION_RUNS = 1_000

function parseFunctionRuns(text: string | undefined): number {
  if (text === undefined) return DEFAULT_FUNCTION_RUNS
  const runs = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0
  if (runs >= 1 && runs <= MAX_FUNCTION_RUNS) return runs
  throw new UsageError(`--function-runs takes a number from 1 to ${MAX_FUNCTION_RUNS}.`)
}

function parseWorkers(text: string | undefined): number {
  if (text === undefined) return DEFAULT_WORKERS
  const workers = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : Number.NaN
  if (workers <= MAX_WORKERS) return workers
  throw new UsageError(`--workers takes a number from 1 to ${MAX_WORKERS}.`)
}

const MAX_COUNT = 1_000_000

/** Returns null when the option is not given. */
function parseCount(option: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const count = /^[1-9][0-9]{0,6}$/.test(text) ? Number(text) : Number.NaN
  if (!(count <= MAX_COUNT)) throw new UsageError(`${option} takes a number from 1 to ${MAX_COUNT}.`)
  return count
}

function readHostAddress(text: string): string {
  const address = parseHostAddress(text)
  if (address !== null) return address
  throw new UsageError(
    "--host takes an IPv4 or IPv6 address of this machine, such as 127.0.0.1, 0.0.0.0 or ::1. Names that callers use are given by --allow-host.",
  )
}

function readHostName(text: string): string {
  const name = parseHostName(text)
  if (name !== null) return name
  throw new UsageError(
    "--allow-host takes a host name or an address, with a port where only that one is meant. It takes no URL.",
  )
}

function readOrigin(text: string): string {
  const url = URL.parse(text)
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:"
  if (url !== null && isWeb && url.href === `${url.origin}/`) return url.origin
  throw new UsageError("--public-url takes a scheme and a host, such as https://api.example.com.")
}

function parseHosting(text: string): Hosting {
  if (text !== "container" && text !== "api-gateway") {
    throw new UsageError('--limits takes "container" or "api-gateway".')
  }
  return text
}
