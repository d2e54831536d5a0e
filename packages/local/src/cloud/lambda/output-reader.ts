import type { Readable } from "node:stream"
import { StringDecoder } from "node:string_decoder"

const MAX_LINE_CHARACTERS = 16_384
/** At most so much is read in so long: about 20 MB/s, however much a function prints. */
const WINDOW_BYTES = 1_000_000
const WINDOW_MS = 50

/** Cuts what an instance prints into lines. */
export interface OutputReader {
  /** Gives out the line that has not ended yet. */
  flush(): void
}

/**
 * Reads to the end, so that a function that prints is never left waiting; but not faster than this process, which serves
 * others too, can bear. Longer lines are cut into several.
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
