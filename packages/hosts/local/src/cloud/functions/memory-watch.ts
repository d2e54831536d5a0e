import { readdir, readFile, stat } from "node:fs/promises"

const INTERVAL_MS = 100
/** The same as AWS Lambda. */
const MAX_THREADS = 1_024
/**
 * The kernel does not report its own memory for what a process opens: sockets hold up to 208 KB each, most hold little.
 */
const DESCRIPTOR_KB = 64
/**
 * Lines of /proc/PID/status, in kB, for memory that is not backed by files; page tables too, which a process can grow
 * without limit by reading memory that it never wrote.
 */
const COUNTED = /^(?:RssAnon|RssShmem|VmSwap|VmPTE|HugetlbPages):\s+(\d+) kB$/gm
const THREADS = /^Threads:\s+(\d+)$/m

/**
 * Checks the memory of a process and all its descendants ten times a second, and calls back once when it exceeds the
 * limit, or when they have more threads than Lambda allows. Lambda's kernel does so continuously; without /proc, only
 * the other limits apply.
 *
 * @param pid the launcher, or the instance itself when it is unconfined
 * @returns a function that ends the watch
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
  // The next check starts when one has ended, because checking a function with many processes takes a while.
  const later = () => setTimeout(look, INTERVAL_MS).unref()
  let timer = later()
  return end
}

/**
 * Returns the memory of a process and its descendants; Infinity when they have too many threads. Reads one file after
 * another, so that this process's descriptors and threads remain available for others.
 */
async function usedMemoryMb(pid: number): Promise<number> {
  const waiting = [pid]
  let usedKb = 0
  let threads = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // A process that has ended holds nothing.
    const status = await readFile(`/proc/${next}/status`, "latin1").catch(() => "")
    for (const [, kilobytes] of status.matchAll(COUNTED)) usedKb += Number(kilobytes)
    threads += Number(THREADS.exec(status)?.[1] ?? 0)
    if (threads > MAX_THREADS) return Number.POSITIVE_INFINITY
    usedKb += (await countDescriptors(next)) * DESCRIPTOR_KB
    waiting.push(...(await childrenOf(next)))
  }
  return usedKb / 1024
}

/** Returns 0 before Linux 6.2, which does not report it. */
async function countDescriptors(pid: number): Promise<number> {
  return stat(`/proc/${pid}/fd`).then(
    ({ size }) => size,
    () => 0,
  )
}

/** Each thread has its own children. */
async function childrenOf(pid: number): Promise<number[]> {
  const children: number[] = []
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    const list = await readFile(`/proc/${pid}/task/${thread}/children`, "latin1").catch(() => "")
    children.push(...list.split(" ").filter(Boolean).map(Number))
  }
  return children
}
