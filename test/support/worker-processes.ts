import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"

const WORKER = /processes\/worker\.ts\0/

/** Returns the workers under a process, by their process ids. */
export function workersOf(pid = 0): number[] {
  return processTree(pid).filter(isWorker)
}

/** Whether a process is a worker that runs. */
export const isWorker = (pid: number) => WORKER.test(fileOf(pid, "cmdline"))

export function processTree(pid: number): number[] {
  const children = fileOf(pid, `task/${pid}/children`).trim()
  return [pid, ...(children === "" ? [] : children.split(" ").flatMap((each) => processTree(Number(each))))]
}

/** Returns a file of a process under `/proc`. Empty where the process has ended. */
export function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8")
  } catch {
    return ""
  }
}

/** Counts the sockets that a process has open. */
export function socketsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => linkOf(`/proc/${pid}/fd/${fd}`).startsWith("socket:"))
    .length
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ""
  }
}

/** Resolves once it is so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20)
}
