import { readFile } from "node:fs/promises"

const INTERVAL_MS = 100

/**
 * Looks at a process's own memory (what is not backed by files) ten times a second, and calls back once when it is more than
 * its limit. Lambda's kernel does so without a gap; where there is no /proc, other limits alone must do.
 *
 * @returns ends the watch
 */
export function watchMemory(pid: number, limitMb: number, onExceeded: () => void): () => void {
  let ended = false
  const end = () => {
    ended = true
    clearInterval(timer)
  }
  const look = async () => {
    const usedMb = await privateMemoryMb(pid)
    if (ended) return
    if (usedMb === null) end()
    else if (usedMb > limitMb) {
      end()
      onExceeded()
    }
  }
  const timer = setInterval(look, INTERVAL_MS)
  timer.unref()
  return end
}

/** Null when it cannot be told. */
async function privateMemoryMb(pid: number): Promise<number | null> {
  try {
    const status = await readFile(`/proc/${pid}/status`, "latin1")
    const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0)
    return (of("RssAnon") + of("RssShmem")) / 1024
  } catch {
    return null
  }
}
