// The first process of the enclave. It starts everything else, without a shell, and ends the enclave when any of it ends.
import { execFileSync, spawn } from "node:child_process"
import { appendFileSync } from "node:fs"

const { hostname } = new URL(process.env.SEALWAY_URL)
const INGRESS_PORT = 8008
/** The parent instance is always context 3. Its vsock-proxy listens there for calls to the API. */
const PARENT = 3
const API_VSOCK_PORT = 8000

execFileSync("ip", ["link", "set", "dev", "lo", "up"])
// TLS ends in the enclave: the API's name leads to the parent instance, which passes on what it cannot read.
appendFileSync("/etc/hosts", `127.0.0.1 ${hostname}\n`)

const processes = [
  ["socat", "TCP-LISTEN:443,bind=127.0.0.1,fork,reuseaddr", `VSOCK-CONNECT:${PARENT}:${API_VSOCK_PORT}`],
  ["socat", `VSOCK-LISTEN:${INGRESS_PORT},fork,reuseaddr`, `TCP:127.0.0.1:${INGRESS_PORT}`],
  ["node", "agent/agent.mjs"],
  ["node", "program.mjs"],
]

for (const [command, ...args] of processes) {
  spawn(command, args, { stdio: "inherit" }).on("exit", () => process.exit(1))
}
