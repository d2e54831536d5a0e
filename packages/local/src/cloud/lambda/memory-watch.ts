import { readdir, readFile } from "node:fs/promises"

const INTERVAL_MS = 100

/**
 * Looks at the memory of a process and all that it started (what is not backed by files) ten times a second, and calls
 * back once when it is more than the limit. Lambda's kernel does so without a gap; where there is no /proc, other limits
 * alone must do.
 *
 * @param pid of the launcher, or of the instance itself where nothing confines it
 * @returns ends the watch
 */
export function watchMemory(pid: number, limitMb: number, onExceeded: () => void): () => void {
  let ended = false
  const end = () => {
    ended = true
    clearTimeout(timer)
  }
  const look = async () => {
    const usedMb = await privateMemoryMb(pid)
    if (ended || usedMb === null) return
    if (usedMb > limitMb) {
      end()
      onExceeded()
    } else timer = later()
  }
  // Only when a look is over comes the next: a function of many processes takes a while to look at.
  const later = () => setTimeout(look, INTERVAL_MS).unref()
  let timer = later()
  return end
}

/** Of a process and its descendants. Null when the process itself cannot be looked at. */
async function privateMemoryMb(pid: number): Promise<number | null> {
  try {
    const status = await readFile(`/proc/${pid}/status`, "latin1")
    const kilobytesOf = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0)
    const children = await childrenOf(pid)
    const theirs = await Promise.all(children.map(privateMemoryMb))
    const ownMb = (kilobytesOf("RssAnon") + kilobytesOf("RssShmem")) / 1024
    // A child that has ended meanwhile holds nothing.
    return theirs.reduce<number>((sum, each) => sum + (each ?? 0), ownMb)
  } catch {
    return null
  }
}

/** Each thread has children of its own. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, "latin1").catch(() => "")),
  )
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number))
}
