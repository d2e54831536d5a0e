import type { Readable } from "node:stream"
import { StringDecoder } from "node:string_decoder"

const MAX_LINE_CHARACTERS = 16_384
/** The maximum that is read in this time: about 20 MB/s, however much a function prints. */
const WINDOW_BYTES = 1_000_000
const WINDOW_MS = 50

/** Splits the output of an instance into lines. */
export interface OutputReader {
  /** Emits the incomplete line. */
  flush(): void
}

/**
 * Reads to the end, so that a printing function never blocks; but no faster than this process, which serves others too,
 * can handle. Longer lines are split.
 */
export function readOutput(output: Readable, onLine: (line: string) => void): OutputReader {
  const decoder = new StringDecoder("utf8")
  let line = ""
  let windowBytes = 0
  const endWindow = () => {
    windowBytes = 0
    output.resume()
  }
  const giveOut = (whole: string) => {
    for (let at = 0; at === 0 || at < whole.length; at += MAX_LINE_CHARACTERS) {
      onLine(whole.slice(at, at + MAX_LINE_CHARACTERS))
    }
  }
  const flush = () => {
    if (line !== "") giveOut(line)
    line = ""
  }
  output.on("data", (chunk: Buffer) => {
    const lines = (line + decoder.write(chunk)).split("\n")
    line = lines.pop() ?? ""
    for (const each of lines) giveOut(each)
    if (line.length > MAX_LINE_CHARACTERS) flush()
    if (windowBytes === 0) setTimeout(endWindow, WINDOW_MS).unref()
    windowBytes += chunk.length
    if (windowBytes > WINDOW_BYTES) output.pause()
  })
  output.on("error", () => output.destroy())
  output.on("close", flush)
  return { flush }
}
