import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { type ParseArgsOptionsConfig, parseArgs } from "node:util"
import { DEFAULT_MEMORY_BYTES, defaultMemoryBytes, MIN_MEMORY_BYTES } from "@sealway/http/ingress"
import { MB } from "@sealway/kernel"
import type { Configuration, Hosting } from "@sealway/ports"
import { parseHostAddress } from "../addresses/host-address.ts"
import { parseHostName } from "../addresses/host-name.ts"
import { LISTENERS, type ListenAddresses } from "../addresses/listen-problem.ts"
import { FUNCTION_NETWORKS, type FunctionNetwork } from "../cloud/functions/network/function-network.ts"
import { LOAD_LIMITS, type LoadLimits } from "../gateway/limits.ts"
import { DEFAULT_FUNCTION_RUNS } from "../stage/function-runs.ts"

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
  /** The memory for requests of each process, in bytes. */
  readonly memoryBytes: number
  readonly dataFolder: string
  /** Whether to empty a data folder whose parts do not belong together, and start over. */
  readonly acceptLoss: boolean
  /** Null: for good. */
  readonly accessLogDays: number | null
  readonly json: boolean
  /** Whether to print no keys. */
  readonly hideKeys: boolean
  /** Whether functions may run unconfined when this machine cannot confine them. */
  readonly unconfinedFunctions: boolean
  /** What functions may connect to. Null: public addresses, where this machine can restrict it. */
  readonly functionNetwork: FunctionNetwork | null
  readonly hosting: Hosting
  readonly logLevel: Configuration["logLevel"]
  /** How many runs of one app's functions may be in progress at once. */
  readonly functionRuns: number
  /** How many workers share relays, the forward proxy and the API under load; 1: there are none. */
  readonly workers: number
}

export const DEFAULT_PORT = 7400

const DEFAULT_HOST = "127.0.0.1"

const MAX_WORKERS = 256
const DEFAULT_WORKERS = Math.min(availableParallelism(), MAX_WORKERS)

export const HELP = `Runs Sealway on this machine, offline: the API and the cloud services that it needs.

Usage: npm start -- [OPTION ...]

  --port PORT      Port of the API; 0 picks a free one (default: ${DEFAULT_PORT})
  --relay-port PORT, --proxy-port PORT, --strict-proxy-port PORT
                   Ports of the relays, of the forward proxy, and of the forward proxy for
                   clients that send credentials only when challenged (default: the three
                   after --port; free ones with --port 0)
  --host ADDRESS   IPv4 or IPv6 address that all of them listen on; 0.0.0.0 and ::
                   mean all addresses of this machine. Without TLS (default: ${DEFAULT_HOST})
  --allow-host NAME
                   Another host name that the API accepts in the Host header,
                   such as the name of a proxy in front of it; may be repeated
  --public-url URL URL at which browsers and card networks reach the API, such as that of
                   a TLS proxy in front of it; used in links (default: the URL of each
                   request)
  --trust FILE     PEM certificates of authorities to trust for relays' destinations,
                   in addition to the public ones
  --data FOLDER    Folder for data and keys (default: .sealway)
  --accept-loss    Go on if the latest changes are missing from the tables, and start
                   over if parts of the data folder are missing or do not belong
                   together. Values encrypted with it can never be decrypted again;
                   the remaining files are moved to lost-TIME inside the folder
  --access-log-days DAYS
                   How long access records are kept that are written from now on
                   (default: for good)
  --limits WHOSE   Size limits of requests: "container" accepts files up to 25 MB,
                   "api-gateway" uses the limits of AWS Lambda (default: container)
  --unconfined-functions
                   Run functions even if this machine cannot isolate them from
                   your files and processes. Only for code that you trust
  --function-network NETWORK
                   What functions may connect to: "public" addresses; "private" ones too,
                   such as this machine's loopback; "none"; or "host", everything that
                   this machine reaches. Not started if that cannot be enforced here
                   (default: public if it can, otherwise host)
  --function-runs COUNT
                   Concurrent function runs of one app; for all
                   apps together, twice as many (default: ${DEFAULT_FUNCTION_RUNS})
  --workers COUNT  Processes that share relays, the forward proxy and, under load, encryption
                   and decryption by the API; with 0 or 1, the service does everything
                   itself (default: one per processor, here ${DEFAULT_WORKERS})
  --max-requests N, --max-connections N
                   Limits of the API at any time: requests and connections
                   (default: ${LOAD_LIMITS.maxRequestsInFlight}, ${LOAD_LIMITS.maxConnections})
  --memory MB      Memory for requests in progress, what is made of them and their
                   responses, shared by the service and its workers; each of these
                   processes also needs about 250 MB for itself (default: ${DEFAULT_MEMORY_BYTES / MB} for each,
                   or less in a container whose limit is low)
  --stall-timeout SECONDS
                   How long a request body may stall, or a response stay unread, before
                   the connection is closed (default: ${LOAD_LIMITS.stallTimeoutMs / 1000})
  --verbose        Log every refused request as one line of JSON
  --json           Print one line of JSON when ready, for scripts
  --hide-keys      Do not print keys; they are in credentials.json in the data folder
  --help           Print this

The first start creates a team, a sandbox app, a production app and their keys.
Stop with Ctrl-C. The next start continues with the same data.
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
  "access-log-days": { type: "string" },
  limits: { type: "string" },
  "unconfined-functions": { type: "boolean" },
  "function-network": { type: "string" },
  "function-runs": { type: "string" },
  workers: { type: "string" },
  "max-requests": { type: "string" },
  "max-connections": { type: "string" },
  memory: { type: "string" },
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
    throw new UsageError(error instanceof Error ? error.message : "The options are invalid.", {
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
  const workers = parseWorkers(values.workers)
  return {
    ...addresses,
    allowedHosts: (values["allow-host"] ?? []).map(readHostName),
    publicUrl: values["public-url"] === undefined ? null : readOrigin(values["public-url"]),
    trustFile: values.trust === undefined ? null : resolve(folder, values.trust),
    dataFolder: resolve(folder, values.data ?? ".sealway"),
    acceptLoss: values["accept-loss"] ?? false,
    accessLogDays: parseCount("--access-log-days", values["access-log-days"], MAX_ACCESS_LOG_DAYS),
    json: values.json ?? false,
    hideKeys: values["hide-keys"] ?? false,
    unconfinedFunctions: values["unconfined-functions"] ?? false,
    functionNetwork: parseFunctionNetwork(values["function-network"]),
    hosting: parseHosting(values.limits ?? "container"),
    functionRuns: parseFunctionRuns(values["function-runs"]),
    workers,
    memoryBytes: parseMemory(values.memory, workers === 1 ? 1 : workers + 1),
    load: {
      maxRequestsInFlight:
        parseCount("--max-requests", values["max-requests"]) ?? LOAD_LIMITS.maxRequestsInFlight,
      maxConnections:
        parseCount("--max-connections", values["max-connections"]) ?? LOAD_LIMITS.maxConnections,
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
  if (!(port <= MAX_PORT)) throw new UsageError(`${option} must be a number from 0 to ${MAX_PORT}.`)
  return port
}

/** Returns the port that many after another; 0, for any free port, when the other is 0 or no such port exists. */
function portAfter(port: number, distance: number): number {
  return port === 0 || port + distance > MAX_PORT ? 0 : port + distance
}

function refuseSharedPorts(addresses: ListenAddresses): void {
  for (const [index, { port, option }] of LISTENERS.entries()) {
    const other = LISTENERS.slice(0, index).find((each) => addresses[each.port] === addresses[port])
    if (other !== undefined && addresses[port] !== 0) {
      throw new UsageError(
        `${other.option} and ${option} are both ${addresses[port]}. Each needs its own port; without an option it follows --port.`,
      )
    }
  }
}

function parseFunctionNetwork(text: string | undefined): FunctionNetwork | null {
  if (text === undefined) return null
  const network = FUNCTION_NETWORKS.find((each) => each === text)
  if (network !== undefined) return network
  throw new UsageError('--function-network must be "public", "private", "none" or "host".')
}

const MAX_FUNCTION_RUNS = 1_000

function parseFunctionRuns(text: string | undefined): number {
  if (text === undefined) return DEFAULT_FUNCTION_RUNS
  const runs = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0
  if (runs >= 1 && runs <= MAX_FUNCTION_RUNS) return runs
  throw new UsageError(`--function-runs must be a number from 1 to ${MAX_FUNCTION_RUNS}.`)
}

function parseWorkers(text: string | undefined): number {
  if (text === undefined) return DEFAULT_WORKERS
  const workers = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN
  if (workers <= MAX_WORKERS) return Math.max(workers, 1)
  throw new UsageError(`--workers must be a number from 0 to ${MAX_WORKERS}.`)
}

/** Returns what each process gets. */
function parseMemory(text: string | undefined, processes: number): number {
  const megabytes = parseCount("--memory", text)
  if (megabytes === null) return defaultMemoryBytes(processes)
  const bytes = Math.floor((megabytes * MB) / processes)
  if (bytes >= MIN_MEMORY_BYTES) return bytes
  throw new UsageError(
    `--memory must be at least ${(MIN_MEMORY_BYTES / MB) * processes}: ${MIN_MEMORY_BYTES / MB} for the service${processes > 1 ? ` and for each of its ${processes - 1} workers (--workers)` : ""}.`,
  )
}

const MAX_COUNT = 1_000_000
/** Ten years. */
const MAX_ACCESS_LOG_DAYS = 3_650

/** Returns null when the option is not given. */
function parseCount(option: string, text: string | undefined, max = MAX_COUNT): number | null {
  if (text === undefined) return null
  const count = /^[1-9][0-9]{0,6}$/.test(text) ? Number(text) : Number.NaN
  if (!(count <= max)) throw new UsageError(`${option} must be a number from 1 to ${max}.`)
  return count
}

function readHostAddress(text: string): string {
  const address = parseHostAddress(text)
  if (address !== null) return address
  throw new UsageError(
    "--host must be an IPv4 or IPv6 address of this machine, such as 127.0.0.1, 0.0.0.0 or ::1. For host names that callers use, pass --allow-host.",
  )
}

function readHostName(text: string): string {
  const name = parseHostName(text)
  if (name !== null) return name
  throw new UsageError(
    "--allow-host must be a host name or an address, with a port to allow only that port. It must not be a URL.",
  )
}

function readOrigin(text: string): string {
  const url = URL.parse(text)
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:"
  if (url !== null && isWeb && url.href === `${url.origin}/`) return url.origin
  throw new UsageError("--public-url must be a scheme and a host, such as https://api.example.com.")
}

function parseHosting(text: string): Hosting {
  if (text !== "container" && text !== "api-gateway") {
    throw new UsageError('--limits must be "container" or "api-gateway".')
  }
  return text
}
