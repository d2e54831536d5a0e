import { once } from "node:events"
import type { LookupFunction } from "node:net"
import { createServer, type TLSSocket, type TlsOptions } from "node:tls"
import type { ClientCertificate } from "@sealway/relay"
import type { Upstream, UpstreamRequest } from "@sealway/relay-proxy/testing"
import { expect, onTestFinished, test } from "vitest"
import { NEW_KEY, withOpenSsl } from "../support/openssl.ts"
import { startUpstream } from "./server-world.ts"

const PASSWORD = "p\u00e4ssword"
const material = makeCertificates()
const authorities = [material.ca]

/** Makes a CA, a server's certificate for api.example and 127.0.0.1, and a client's in every form. */
function makeCertificates() {
  return withOpenSsl(({ run, read }) => {
    const request = ["req", "-x509", ...NEW_KEY, "-nodes", "-days", "2"]
    const issue = (name: string, san: string) =>
      run(
        ...[...request, "-keyout", `${name}.key`, "-out", `${name}.pem`, "-subj", `/CN=${name}`],
        ...["-CA", "ca.pem", "-CAkey", "ca.key", "-addext", `subjectAltName=${san}`],
      )
    run(...request, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test CA")
    issue("server", "DNS:api.example,IP:127.0.0.1")
    issue("client", "DNS:client.example")
    const locked = ["-passout", `pass:${PASSWORD}`]
    run("pkcs12", "-export", "-inkey", "client.key", "-in", "client.pem", "-out", "client.p12", ...locked)
    run("pkey", "-in", "client.key", "-aes256", ...locked, "-out", "sealed.key")
    return {
      ca: read("ca.pem").toString(),
      server: { key: read("server.key"), cert: read("server.pem") },
      certificate: read("client.pem").toString(),
      privateKey: read("client.key").toString(),
      sealedKey: read("sealed.key").toString(),
      pkcs12: read("client.p12"),
    }
  })
}

/** Starts a destination that answers anything with the name in the client's certificate. */
async function startDestination(options: TlsOptions = {}): Promise<{ port: number; sockets: TLSSocket[] }> {
  const sockets: TLSSocket[] = []
  const server = createServer({ ...material.server, ca: authorities, ...options }, (socket) => {
    sockets.push(socket)
    socket.on("error", () => socket.destroy())
    const { subject } = socket.getPeerCertificate()
    const name = String(subject?.CN ?? "nobody")
    socket.on("data", () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${name.length}\r\n\r\n${name}`))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return { port: address !== null && typeof address === "object" ? address.port : 0, sockets }
}

const lookup: LookupFunction = (_hostname, _options, callback) =>
  callback(null, [{ address: "127.0.0.1", family: 4 }])

interface SendOptions {
  readonly host?: string
  readonly hostHeader?: string
  readonly clientCertificate?: UpstreamRequest["clientCertificate"]
}

async function send(
  upstream: Upstream,
  port: number,
  { host = "api.example", hostHeader = host, clientCertificate = null }: SendOptions = {},
): Promise<string> {
  const { body } = await upstream.send({
    appId: "app_1",
    destination: { scheme: "https", host, port },
    clientCertificate,
    method: "GET",
    target: "/",
    rawHeaders: ["Host", hostHeader],
    body: null,
    contentLength: null,
    signal: new AbortController().signal,
    onReleased: () => undefined,
  })
  return String(body)
}

test("connects to a destination by its name or address, with a certificate for it by a trusted authority", async () => {
  const { port, sockets } = await startDestination()
  const upstream = startUpstream({ authorities, lookup })
  expect(await send(upstream, port)).toBe("nobody")
  expect(await send(upstream, port, { host: "127.0.0.1" })).toBe("nobody")
  expect(sockets.map(({ servername }) => servername)).toEqual(["api.example", false])
})

test.each([
  ["by an authority that is not trusted", {}, []],
  ["for another name", { host: "other.example" }, authorities],
  ["for another name, whatever Host says", { host: "other.example", hostHeader: "api.example" }, authorities],
])(
  "fails with proxy-error for a destination whose certificate is %s, and sends it nothing",
  async (_, options, trusted) => {
    const { port } = await startDestination()
    const sent = send(startUpstream({ authorities: trusted, lookup }), port, options)
    await expect(sent).rejects.toMatchObject({
      code: "proxy-error",
      message: "The destination's certificate is invalid or not trusted.",
    })
  },
)

test("fails with proxy-error for a destination that does not speak TLS 1.2 or later", async () => {
  const { port } = await startDestination({ maxVersion: "TLSv1.1", minVersion: "TLSv1" })
  const sent = send(startUpstream({ authorities, lookup }), port)
  await expect(sent).rejects.toMatchObject({ code: "proxy-error" })
})

const { certificate, privateKey, sealedKey, pkcs12 } = material
const FORMS: readonly [string, ClientCertificate][] = [
  ["PKCS#12 with a password", { format: "pkcs12", content: pkcs12, password: PASSWORD }],
  ["PEM", { format: "pem", certificate, privateKey, password: null }],
  ["PEM with a password", { format: "pem", certificate, privateKey: sealedKey, password: PASSWORD }],
]

test.each(FORMS)("shows a destination the client's certificate: %s", async (_, opened) => {
  const { port } = await startDestination({ requestCert: true, rejectUnauthorized: true })
  const upstream = startUpstream({ authorities, lookup })
  const clientCertificate = { id: "relay/1", certificate: opened }
  expect(await send(upstream, port, { clientCertificate })).toBe("client")
})

test("uses a connection with one certificate for no other, nor for requests without", async () => {
  const { port, sockets } = await startDestination({ requestCert: true, rejectUnauthorized: false })
  const upstream = startUpstream({ authorities, lookup })
  const opened: ClientCertificate = { format: "pem", certificate, privateKey, password: null }
  const as = (id: string) => ({ clientCertificate: { id, certificate: opened } })
  expect(await send(upstream, port, as("a"))).toBe("client")
  expect(await send(upstream, port)).toBe("nobody")
  expect(await send(upstream, port, as("b"))).toBe("client")
  expect(await send(upstream, port, as("a"))).toBe("client")
  expect(sockets).toHaveLength(3)
})

test("fails with proxy-error for a destination that requires a certificate and gets none", async () => {
  const { port } = await startDestination({ requestCert: true, rejectUnauthorized: true })
  const sent = send(startUpstream({ authorities, lookup }), port)
  await expect(sent).rejects.toMatchObject({ code: "proxy-error" })
})

test.each<[string, ClientCertificate]>([
  ["with a wrong password", { format: "pkcs12", content: pkcs12, password: "wrong" }],
  ["without its password", { format: "pem", certificate, privateKey: sealedKey, password: null }],
  ["that is none", { format: "pem", certificate: "nothing", privateKey: "nothing", password: null }],
])("fails with proxy-error for a client certificate %s", async (_, opened) => {
  const { port } = await startDestination()
  const upstream = startUpstream({ authorities, lookup })
  const sent = send(upstream, port, { clientCertificate: { id: "relay/1", certificate: opened } })
  await expect(sent).rejects.toMatchObject({
    code: "proxy-error",
    message: "The relay's client certificate could not be used.",
  })
})
