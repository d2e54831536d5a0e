import { readdir, readFile, stat } from "node:fs/promises"

const INTERVAL_MS = 100
/** As on AWS Lambda. */
const MAX_THREADS = 1_024
/** The kernel's own memory for what a process opens is not told: sockets hold up to 208 KB each, most hold little. */
const DESCRIPTOR_KB = 64
/**
 * Lines of /proc/PID/status, in kB, of what is not backed by files; page tables too, which a process can make without end
 * by reading what it never wrote.
 */
const COUNTED = /^(?:RssAnon|RssShmem|VmSwap|VmPTE|HugetlbPages):\s+(\d+) kB$/gm
const THREADS = /^Threads:\s+(\d+)$/m

/**
 * Looks at the memory of a process and all that it started ten times a second, and calls back once when it is more than
 * the limit, or when they have more threads than Lambda allows. Lambda's kernel does so without a gap; where there is no
 * /proc, other limits alone must do.
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
    const usedMb = await usedMemoryMb(pid)
    if (ended) return
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

/**
 * Of a process and its descendants. Infinity when they have too many threads. One file after another: however many
 * there are, this process keeps its descriptors and its threads for others.
 */
async function usedMemoryMb(pid: number): Promise<number> {
  const waiting = [pid]
  let usedKb = 0
  let threads = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // One that has ended meanwhile holds nothing.
    const status = await readFile(`/proc/${next}/status`, "latin1").catch(() => "")
    for (const [, kilobytes] of status.matchAll(COUNTED)) usedKb += Number(kilobytes)
    threads += Number(THREADS.exec(status)?.[1] ?? 0)
    if (threads > MAX_THREADS) return Number.POSITIVE_INFINITY
    usedKb += (await countDescriptors(next)) * DESCRIPTOR_KB
    waiting.push(...(await childrenOf(next)))
  }
  return usedKb / 1024
}

/** 0 before Linux 6.2, which began to tell. */
async function countDescriptors(pid: number): Promise<number> {
  return stat(`/proc/${pid}/fd`).then(
    ({ size }) => size,
    () => 0,
  )
}

/** Each thread has children of its own. */
async function childrenOf(pid: number): Promise<number[]> {
  const children: number[] = []
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    const list = await readFile(`/proc/${pid}/task/${thread}/children`, "latin1").catch(() => "")
    children.push(...list.split(" ").filter(Boolean).map(Number))
  }
  return children
}
