import { execFile } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { get } from "node:http"
import { networkInterfaces } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { connect } from "node:tls"
import { promisify } from "node:util"
import { startLocalService } from "@sealway/local"
import { describe, expect, test } from "vitest"
import { start, startReady, withFolder } from "../support/start.ts"

const shell = promisify(execFile)

const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
const hasIpv6 = addresses.some(({ address }) => address === "::1")
/** An address that other machines reach this one by. */
const outside = addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address
const WARNING = /^Warning: other machines can reach the service, because it listens on (\S+)\. .*unencrypted/

async function statusOf(address: string, port: string, host: string): Promise<number | undefined> {
  const [answer] = await once(get({ host: address, port, path: "/health", headers: { host } }), "response")
  answer.resume()
  return answer.statusCode
}

/** A service of this process on an address. */
const serve = (host: string, allowedHosts: readonly string[] = []) =>
  startLocalService({ host, allowedHosts, port: 0, dataFolder: null, hosting: "container" })

describe("a service on another address than 127.0.0.1", () => {
  test.skipIf(!hasIpv6)("serves IPv4 and IPv6 on ::", async () => {
    const service = await serve("::")
    expect(service.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    const { port } = new URL(service.url)
    expect(await statusOf("::1", port, `[::1]:${port}`)).toBe(200)
    expect(await statusOf("127.0.0.1", port, `127.0.0.1:${port}`)).toBe(200)
    expect(await statusOf("127.0.0.1", port, `[::]:${port}`)).toBe(421)
    await service.close()
  })

  test.skipIf(outside === undefined).each([
    ["0.0.0.0", [outside ?? ""]],
    [outside ?? "", []],
  ])("is called on %s from elsewhere by the names %j", async (host, allowedHosts) => {
    const service = await serve(host, allowedHosts)
    const { port } = new URL(service.url)
    expect(await statusOf(outside ?? "", port, `${outside}:${port}`)).toBe(200)
    expect(await statusOf(outside ?? "", port, `evil.test:${port}`)).toBe(421)
    await service.close()
  })

  test.skipIf(outside === undefined)(
    "tells the option for other names to callers of this machine, and to no others",
    async () => {
      const service = await serve("0.0.0.0")
      const { port } = new URL(service.url)
      const detailAt = async (address: string) => {
        const call = get({ host: address, port, path: "/health", headers: { host: "evil.test" } })
        const [answer] = await once(call, "response")
        return JSON.parse(await text(answer)).detail
      }
      expect(await detailAt("127.0.0.1")).toContain("--allow-host")
      expect(await detailAt(outside ?? "")).toBe("The Host header is not a name of this service.")
      await service.close()
    },
  )

  test("gives the forward proxy a certificate for the names that callers use", async () => {
    const service = await serve("127.0.0.2", ["vault.test:81"])
    const ca = await (await fetch(service.caUrl)).text()
    for (const servername of ["vault.test", "localhost"]) {
      const port = Number(new URL(service.proxyUrl).port)
      const socket = connect({ host: "127.0.0.2", port, servername, ca })
      await once(socket, "secureConnect")
      expect(socket.authorized).toBe(true)
      expect(socket.getPeerCertificate().subjectaltname).toContain("IP Address:127.0.0.2")
      socket.destroy()
    }
    await service.close()
  })
})

describe("npm start --host", () => {
  test.skipIf(!hasIpv6)("serves the API, relays and the proxies on an IPv6 address, by 2 processes", () =>
    withFolder(async (folder) => {
      const { ready, stderr, stop } = await startReady(folder, ["--host", "::1", "--workers", "2"])
      for (const url of [ready.url, ready.relayUrl, ready.proxyUrl, ready.strictProxyUrl])
        expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/)
      expect((await fetch(`${ready.url}/health`)).status).toBe(200)
      expect((await fetch(ready.relayUrl)).status).toBe(404)
      expect(await (await fetch(ready.caUrl)).text()).toMatch(/^-----BEGIN CERTIFICATE-----/)
      expect((await fetch(`${ready.strictProxyUrl}/ca.pem`)).status).toBe(200)
      const { port } = new URL(ready.url)
      expect(await statusOf("::1", port, `localhost:${port}`)).toBe(200)
      expect(await statusOf("::1", port, `[::2]:${port}`)).toBe(421)
      expect(await statusOf("::1", port, `evil.test:${port}`)).toBe(421)
      expect(await readFile(join(folder, "env"), "utf8")).toContain(`export SEALWAY_URL=${ready.url}\n`)
      await stop()
      expect(stderr()).toBe("")
    }),
  )

  test.skipIf(!hasIpv6)("prints commands that work as printed on an IPv6 address, by one process", () =>
    withFolder(async (folder) => {
      const process = start(["--port", "0", "--host", "::1", "--workers", "1", "--data", folder])
      await process.until(/Stop with Ctrl-C/)
      const [encrypt = ""] = process.stdout().match(/^ {2}curl .*$/m) ?? []
      expect(encrypt).toMatch(/ 'http:\/\/\[::1\]:\d+\/encrypt' /)
      const { stdout } = await shell("bash", ["-c", `shopt -s failglob; ${encrypt} -sS --fail-with-body`])
      expect(Object.keys(JSON.parse(stdout))).toEqual(["name", "card", "age"])
      await process.stop()
    }),
  )

  test("warns where other machines can reach it, answers to its own names only, and logs others with --verbose", () =>
    withFolder(async (folder) => {
      const options = ["--host", "0.0.0.0", "--verbose"]
      const { ready, stdout, stderr, until, stop } = await startReady(folder, options)
      expect(WARNING.exec(stderr())?.[1]).toBe("0.0.0.0")
      expect(stdout()).toBe(`${JSON.stringify(ready)}\n`)
      expect(ready.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      const { port } = new URL(ready.url)
      expect(await statusOf("127.0.0.1", port, `127.0.0.1:${port}`)).toBe(200)
      for (const host of [`0.0.0.0:${port}`, `vault.test:${port}`, `${outside ?? "192.0.2.1"}:${port}`])
        expect(await statusOf("127.0.0.1", port, host)).toBe(421)
      await until(/"message":"request refused",.*"code":"misdirected-request","status":421/)
      expect(stdout()).not.toContain("vault.test")
      await stop()
    }))

  test("says so when the address is none of this machine's, and leaves the data folder free", () =>
    withFolder(async (dataFolder) => {
      const refused = start(["--port", "0", "--host", "192.0.2.1", "--data", dataFolder])
      expect(await refused.ended()).toBe(1)
      expect(refused.stderr()).toBe(
        "This machine cannot listen on 192.0.2.1: it is not one of its addresses. Choose another with --host.\n",
      )
      await (await startLocalService({ port: 0, dataFolder, hosting: "container" })).close()
    }))
})

describe("npm start --hide-keys", () => {
  test.each([[[]], [["--json"]]])("prints no key, but where the keys are: %j", (options) =>
    withFolder(async (folder) => {
      const process = start(["--port", "0", "--workers", "1", "--data", folder, "--hide-keys", ...options])
      await process.until(options.length === 0 ? /keys are in credentials\.json/ : /\}\n/)
      expect(process.stdout()).toMatch(/http:\/\/127\.0\.0\.1:\d+/)
      expect(process.stdout()).toContain(folder)
      expect(process.stdout()).not.toMatch(/swk_|apiKey|teamKey/)
      const credentials = await readFile(join(folder, "credentials.json"), "utf8")
      expect(credentials).toMatch(/swk_sandbox_/)
      await process.stop()
      expect(process.stderr()).toBe("")
    }),
  )
})
