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

/** Returns the inodes of the sockets that a process has open. */
export function socketsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${descriptor}`)) ?? []
    return inode === undefined ? [] : [inode]
  })
}

/** A TCP socket of any process, as in /proc/net/tcp. */
export interface TcpSocket {
  readonly inode: string
  /** Hexadecimal, the lowest byte first. */
  readonly address: string
  readonly port: number
  readonly remotePort: number
  readonly state: string
}

export function tcpSockets(): TcpSocket[] {
  return ["tcp", "tcp6"].flatMap((table) => {
    const [, ...lines] = readFileSync(`/proc/net/${table}`, "utf8").trim().split("\n")
    return lines.map((line) => {
      const [, local = "", remote = "", state = "", , , , , , inode = ""] = line.trim().split(/\s+/)
      const [address = "", port = ""] = local.split(":")
      const [, remotePort = ""] = remote.split(":")
      return {
        inode,
        address,
        port: Number.parseInt(port, 16),
        remotePort: Number.parseInt(remotePort, 16),
        state,
      }
    })
  })
}

/** Empty for a descriptor that has been closed meanwhile. */
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
