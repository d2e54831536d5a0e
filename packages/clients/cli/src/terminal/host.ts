import type { Readable, Writable } from "node:stream"
import type { SendRequest } from "./send-request.ts"

/** The environment of the command line. Everything from outside comes in here, so that a test can replace it. */
export interface CliHost {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly fetch: SendRequest
  /** The folder in which the command runs. */
  readonly folder: string
  readonly homeFolder: string
  readonly platform: NodeJS.Platform
  /** The user who runs the command; null when files have no such owner, as on Windows. */
  readonly userId: number | null
  /** Epoch milliseconds. */
  wallClock(): number
  /** Resolves after some milliseconds; rejects when the signal aborts. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>
  /** Aborts when the user gives up; its reason is the exit status. */
  readonly signal: AbortSignal
}
