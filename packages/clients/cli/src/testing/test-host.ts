import { Readable, Writable } from "node:stream"
import type { CliHost } from "../terminal/host.ts"

export interface TestHostOptions extends Partial<Omit<CliHost, "stdin" | "stdout" | "stderr">> {
  readonly folder: string
  /** The content of standard input. */
  readonly stdin?: string | Uint8Array
  /** Default: false. */
  readonly isTty?: boolean
}

/** A host that records its output. */
export interface TestHost extends CliHost {
  stdoutBytes(): Buffer
  stdoutText(): string
  stderrText(): string
  /** The duration of each sleep. */
  readonly sleptMs: number[]
}

/** Creates a host for tests: nothing of this machine but a folder, and optionally a network. */
export function createTestHost({ stdin = "", isTty = false, ...options }: TestHostOptions): TestHost {
  const stdout = new Sink(isTty)
  const stderr = new Sink(isTty)
  const sleptMs: number[] = []
  return {
    env: {},
    fetch: () => Promise.reject(new Error("No network")),
    homeFolder: options.folder,
    platform: "linux",
    userId: process.getuid?.() ?? null,
    wallClock: () => Date.UTC(2026, 0, 31, 12),
    sleep(durationMs) {
      sleptMs.push(durationMs)
      return Promise.resolve()
    },
    signal: new AbortController().signal,
    ...options,
    stdin: Object.assign(Readable.from([Buffer.from(stdin)], { objectMode: false }), { isTTY: isTty }),
    stdout,
    stderr,
    sleptMs,
    stdoutBytes: () => stdout.bytes(),
    stdoutText: () => stdout.bytes().toString(),
    stderrText: () => stderr.bytes().toString(),
  }
}

class Sink extends Writable {
  readonly isTTY: boolean
  readonly columns = 120
  readonly #chunks: Buffer[] = []

  constructor(isTTY: boolean) {
    super({ decodeStrings: true })
    this.isTTY = isTTY
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}
