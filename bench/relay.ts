import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as z from "zod"
import type { Row } from "./benchmark.ts"
import { CONNECTIONS, type LoadTarget } from "./http-load.ts"
import { median } from "./median.ts"
import { description as bodies, measureBodies } from "./relay/bodies.ts"
import { createCertificate } from "./relay/certificate.ts"
import { type ForwardPeer, type Peer, startMitmForward, startMitmReverse, startNginx } from "./relay/peers.ts"
import { choosePostLoad } from "./relay/post-load.ts"
import { type Sealway, startSealway } from "./relay/sealway.ts"
import { type TunnelTarget, tunnelRequestsPerSecond } from "./relay/tunnel-load.ts"
import { startServer } from "./server-process.ts"

export const description = `Requests with 1 KB of JSON through a proxy to a destination that answers 1 KB, each in a process of its own on loopback,
${CONNECTIONS} connections, under load by wrk where it is installed and autocannon elsewhere. Proxies take turns; the figure is the median, \`ratio\` the median
of the turns' ratios: how many times as much the relay does. Beside the destination itself stand nginx with one worker, http-proxy-3 with connections kept
open, and mitmdump, which passes all on and, with an add-on, encrypts the same field; those that are not installed are left out. Tunnels by CONNECT are
kept open, and their TLS is looked into.

${bodies}`

const ROUNDS = 5
const SECONDS = 2
/** The engines of JavaScript take this long to compile what is used. */
const WARM_UP_SECONDS = 8
const REQUIRED = {
  passThrough: { "http-proxy-3": 1.3 },
  oneField: { "http-proxy-3": 0.9, mitmdump: 12 },
  tunnels: { mitmdump: 12 },
} as const

/** Makes mitmdump do the same as the relay. */
const ENCRYPT_FIELD = fileURLToPath(new URL("relay/encrypt-field.py", import.meta.url))
const BODY = JSON.stringify({ name: "Ada Lovelace", card: "4242424242424242", padding: "x".repeat(950) })

/** What is measured, by name: requests a second over some seconds. */
type Contenders = ReadonlyMap<string, (seconds: number) => Promise<number>>

export async function run(): Promise<readonly Row[]> {
  return [...(await measureProxies()), ...(await measureBodies())]
}

async function measureProxies(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  const stops: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const certificate = await createCertificate(folder)
    const destination = startServer("relay/destination.ts")
    stops.push(() => destination.stop())
    destination.writeLine(JSON.stringify(certificate))
    const ports = z.object({ http: z.int(), https: z.int() }).parse(await destination.nextLine())
    const sealway = await startSealway(folder, join(folder, "data"), ["--workers", "1"])
    stops.push(() => sealway.stop())
    const peers = await startPeers(ports.http)
    stops.push(...[...peers.values()].map((peer) => () => peer.stop()))
    const mitmForward = await startMitmForward()
    stops.push(() => mitmForward?.stop())
    return [
      ...(await compareReverse(sealway, ports.http, peers)),
      ...(await compareTunnels(sealway, ports.https, mitmForward)),
    ]
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** Starts the installed reverse proxies, by name. */
async function startPeers(destinationPort: number): Promise<ReadonlyMap<string, Peer>> {
  const httpProxy = startServer("relay/http-proxy-server.ts", [`http://127.0.0.1:${destinationPort}`])
  const { port } = z.object({ port: z.int() }).parse(await httpProxy.nextLine())
  const found: [string, Peer | null][] = [
    ["nginx", await startNginx(destinationPort)],
    ["http-proxy-3", { port, stop: async () => httpProxy.stop() }],
    ["mitmdump", await startMitmReverse(destinationPort)],
    ["mitmdump that encrypts the field", await startMitmReverse(destinationPort, ENCRYPT_FIELD)],
  ]
  return new Map(found.flatMap(([name, peer]) => (peer === null ? [] : [[name, peer]])))
}

async function compareReverse(
  sealway: Sealway,
  destinationPort: number,
  peers: ReadonlyMap<string, Peer>,
): Promise<readonly Row[]> {
  const { load } = await choosePostLoad()
  const target = (url: string, host: string | null): LoadTarget => ({
    url: `${url}/`,
    headers: { "Content-Type": "application/json", ...(host !== null && { Host: host }) },
    body: BODY,
  })
  const encryptCard = [{ action: "encrypt", selections: [{ type: "json", selector: "$.card" }] }]
  const domains = {
    passThrough: await sealway.createRelay(`http://127.0.0.1:${destinationPort}`, []),
    oneField: await sealway.createRelay(`http://localhost:${destinationPort}`, encryptCard),
  }
  const targets = new Map([
    ["the destination itself", target(`http://127.0.0.1:${destinationPort}`, null)],
    ["relay, nothing selected", target(sealway.relayUrl, domains.passThrough)],
    ["relay, one field encrypted", target(sealway.relayUrl, domains.oneField)],
  ])
  for (const [name, { port }] of peers) {
    targets.set(name, target(`http://127.0.0.1:${port}`, null))
  }
  const contenders = new Map(
    [...targets].map(([name, each]) => [name, (seconds: number) => load(each, seconds)]),
  )
  const figures = await takeTurns(contenders)
  return [
    ...rowsOf(figures, "relay, nothing selected", REQUIRED.passThrough),
    ...rowsOf(figures, "relay, one field encrypted", REQUIRED.oneField),
  ]
}

async function compareTunnels(
  sealway: Sealway,
  destinationPort: number,
  mitmdump: ForwardPeer | null,
): Promise<readonly Row[]> {
  await sealway.createRelay(`localhost:${destinationPort}`, [])
  const { id, apiKey } = sealway.app
  const credentials = Buffer.from(`${id}:${apiKey}`).toString("base64")
  const target = (proxyPort: number, connectHeaders: string, authority: string): TunnelTarget => ({
    proxyPort,
    connectHeaders,
    authority,
    host: "localhost",
    port: destinationPort,
    body: BODY,
  })
  const relayTarget = target(
    Number(new URL(sealway.proxyUrl).port),
    `Proxy-Authorization: Basic ${credentials}\r\n`,
    await (await fetch(sealway.caUrl)).text(),
  )
  const contenders = new Map([
    ["relay, CONNECT", (seconds: number) => tunnelRequestsPerSecond(relayTarget, seconds)],
  ])
  if (mitmdump !== null) {
    const mitmTarget = target(mitmdump.port, "", mitmdump.authority)
    contenders.set("mitmdump", (seconds) => tunnelRequestsPerSecond(mitmTarget, seconds))
  }
  return rowsOf(await takeTurns(contenders), "relay, CONNECT", REQUIRED.tunnels)
}

/** Returns the requests a second of each contender, round by round. */
async function takeTurns(contenders: Contenders): Promise<ReadonlyMap<string, readonly number[]>> {
  const figures = new Map([...contenders.keys()].map((name): [string, number[]] => [name, []]))
  for (const measure of contenders.values()) await measure(WARM_UP_SECONDS)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, measure] of contenders) figures.get(name)?.push(await measure(SECONDS))
  }
  return figures
}

/** Returns the relay's line, and one for each other contender that is not a relay. */
function rowsOf(
  figures: ReadonlyMap<string, readonly number[]>,
  relay: string,
  required: Readonly<Record<string, number>>,
): readonly Row[] {
  const own = figures.get(relay) ?? []
  const unit = "requests/s"
  const rows: Row[] = [{ name: relay, figure: median(own), unit, ratio: null, requiredRatio: null }]
  for (const [name, theirs] of figures) {
    if (name.startsWith("relay")) continue
    const ratio = median(own.map((figure, round) => figure / (theirs[round] ?? Number.NaN)))
    const requiredRatio = required[name] ?? null
    rows.push({ name: `${relay}: beside ${name}`, figure: median(theirs), unit, ratio, requiredRatio })
  }
  return rows
}
