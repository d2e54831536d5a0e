import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"

/** Another proxy, in a separate process. */
export interface Peer {
  readonly port: number
  stop(): Promise<void>
}

/** A forward proxy that opens tunnels. */
export interface ForwardPeer extends Peer {
  /** PEM of the issuer of its certificates. */
  readonly authority: string
}

/**
 * Starts Debian's nginx with one worker, keeping connections to the destination open. Null where it is not installed.
 */
export async function startNginx(destinationPort: number): Promise<Peer | null> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-nginx-"))
  const port = await freePort()
  const configuration = join(folder, "nginx.conf")
  await writeFile(
    configuration,
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream destination { server 127.0.0.1:${destinationPort}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 100000000;
    location / { proxy_pass http://destination; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`,
  )
  return startPeer("nginx", ["-p", folder, "-c", configuration], port, folder)
}

/** Starts Debian's mitmdump as a reverse proxy, with or without an add-on. Null where it is not installed. */
export function startMitmReverse(destinationPort: number, addOn?: string): Promise<Peer | null> {
  const script = addOn === undefined ? [] : ["--scripts", addOn]
  return startMitmdump(["--mode", `reverse:http://127.0.0.1:${destinationPort}`, ...script])
}

/** Starts mitmdump as a forward proxy. Null where it is not installed. */
export async function startMitmForward(): Promise<ForwardPeer | null> {
  const started = await startMitmdump(["--mode", "regular", "--ssl-insecure"])
  if (started === null) return null
  return { ...started, authority: await readFile(join(started.folder, "mitmproxy-ca-cert.pem"), "utf8") }
}

/** A peer, and the folder for its files until it is stopped. */
interface StartedPeer extends Peer {
  readonly folder: string
}

async function startMitmdump(options: readonly string[]): Promise<StartedPeer | null> {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), "sealway-mitmdump-"))
  const common = ["--quiet", "--listen-host", "127.0.0.1", "--listen-port", String(port)]
  return startPeer("mitmdump", [...common, "--set", `confdir=${folder}`, ...options], port, folder)
}

async function startPeer(
  command: string,
  options: readonly string[],
  port: number,
  folder: string,
): Promise<StartedPeer | null> {
  const child = spawn(command, options, { stdio: ["ignore", "ignore", "inherit"] })
  const ended = new AbortController()
  child.once("error", () => ended.abort())
  child.once("exit", () => ended.abort())
  if (!(await isListening(port, ended.signal))) {
    await rm(folder, { recursive: true, force: true })
    return null
  }
  return { port, folder, stop: () => stop(child, folder) }
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  const exit = once(child, "exit")
  child.kill()
  await exit
  await rm(folder, { recursive: true, force: true })
}

/** Waits until a port is open. Returns false when what should open it has ended before. */
async function isListening(port: number, ended: AbortSignal): Promise<boolean> {
  while (!ended.aborted) {
    const socket = connect(port, "127.0.0.1")
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return true
    await delay(50)
  }
  return false
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (typeof address !== "object" || address === null) throw new Error("There is no free port")
  return address.port
}
