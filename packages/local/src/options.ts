import { resolve } from "node:path"
import { parseArgs } from "node:util"
import type { Configuration, Hosting } from "@sealway/platform"

export interface StartOptions {
  /** 0 picks a free one. */
  readonly port: number
  readonly dataFolder: string
  readonly json: boolean
  readonly hosting: Hosting
  readonly logLevel: Configuration["logLevel"]
}

export const DEFAULT_PORT = 7400

export const HELP = `Runs Sealway on this machine: the API and the cloud services it stands on, offline.

Usage: npm start -- [OPTION ...]

  --port PORT      Port of the API on 127.0.0.1; 0 picks a free one (default: ${DEFAULT_PORT})
  --data FOLDER    Where data and keys are kept (default: .sealway)
  --limits WHOSE   Size limits of requests: "container" takes files up to 25 MB,
                   "api-gateway" keeps to what AWS Lambda takes (default: container)
  --verbose        Log every refused request, one line of JSON each
  --json           Print one line of JSON when ready, for scripts
  --help           Print this

The first start creates a team, a sandbox app, a production app and their keys.
Ctrl-C stops it; the next start goes on with the same data.
`

/** The command line cannot be understood; the message says why. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** Reads the command line. Null: help is asked for. @throws UsageError */
export function parseOptions(args: readonly string[], folder: string): StartOptions | null {
  let values: {
    port?: string
    data?: string
    limits?: string
    verbose?: boolean
    json?: boolean
    help?: boolean
  }
  try {
    ;({ values } = parseArgs({
      args: [...args],
      options: {
        port: { type: "string" },
        data: { type: "string" },
        limits: { type: "string" },
        verbose: { type: "boolean" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }))
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : "The options cannot be read.", {
      cause: error,
    })
  }
  if (values.help === true) return null
  return {
    port: values.port === undefined ? DEFAULT_PORT : parsePort(values.port),
    dataFolder: resolve(folder, values.data ?? ".sealway"),
    json: values.json ?? false,
    hosting: parseHosting(values.limits ?? "container"),
    logLevel: values.verbose === true ? "INFO" : "WARN",
  }
}

function parsePort(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new UsageError("--port takes a number from 0 to 65535.")
  return port
}

function parseHosting(text: string): Hosting {
  if (text !== "container" && text !== "api-gateway") {
    throw new UsageError('--limits takes "container" or "api-gateway".')
  }
  return text
}
