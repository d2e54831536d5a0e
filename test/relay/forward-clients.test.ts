import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { fetch, ProxyAgent } from "undici"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { basic, type ForwardWorld, startForwardWorld } from "./forward-world.ts"

const run = promisify(execFile)
const PYTHON_CLIENT = fileURLToPath(new URL("forward-client.py", import.meta.url))

let world: ForwardWorld

beforeAll(async () => {
  world = await startForwardWorld()
  await world.addRelay(world.sandbox.app, "api.example.com")
  await world.addRelay(world.sandbox.app, "api.example.com:8443")
  await world.addRelay(world.sandbox.app, "127.0.0.1:8443")
  await world.addRelay(world.sandbox.app, "http://plain.example.com")
})
afterAll(() => world.close())

const passed = (target: string, host: string, port: number) => ({
  mode: "forward",
  method: "POST",
  target,
  host,
  port,
  credentials: expect.objectContaining({ appId: world.sandbox.app.id }),
  ip: "127.0.0.1",
  body: "name=Ada",
})
const ADDRESSES = [
  ["https://api.example.com/v1/charges", "/v1/charges", "api.example.com", 443],
  ["https://api.example.com:8443/?x=1", "/?x=1", "api.example.com", 8443],
  ["https://127.0.0.1:8443/", "/", "127.0.0.1", 8443],
  ["http://plain.example.com/", "/", "plain.example.com", 80],
] as const

describe("curl", () => {
  const curl = async (url: string, proxy: string, ...options: string[]) => {
    const args = ["--silent", "--show-error", "--cacert", world.caFile, "--proxy-cacert", world.caFile]
    const { stdout } = await run("curl", [...args, "--proxy", proxy, ...options, url])
    return stdout
  }
  const userOf = () => `${world.sandbox.auth.user}:${world.sandbox.auth.key}`

  test.each(ADDRESSES)("reaches %s", async (url, target, host, port) => {
    const proxy = `http://127.0.0.1:${world.port}`
    const answer = await curl(url, proxy, "--proxy-user", userOf(), "--data", "name=Ada")
    expect(JSON.parse(answer)).toEqual(passed(target, host, port))
  })

  test("reaches it through TLS to the proxy, too", async () => {
    const proxy = `https://localhost:${world.port}`
    const answer = await curl(
      "https://api.example.com/",
      proxy,
      "--proxy-user",
      userOf(),
      "--data",
      "name=Ada",
    )
    expect(JSON.parse(answer)).toEqual(passed("/", "api.example.com", 443))
  })

  test("reaches it with the credentials on the request in the tunnel", async () => {
    const proxy = `http://127.0.0.1:${world.port}`
    const header = `Proxy-Authorization: ${basic(world.sandbox.auth)}`
    const answer = await curl("https://api.example.com/", proxy, "--header", header, "--data", "name=Ada")
    expect(JSON.parse(answer)).toEqual(passed("/", "api.example.com", 443))
  })

  test("shows what is wrong with wrong credentials", async () => {
    const proxy = `http://127.0.0.1:${world.port}`
    const call = curl("https://api.example.com/", proxy, "--proxy-user", "app_1:no")
    // 56: "failure in receiving network data", as curl calls a tunnel that was refused.
    await expect(call).rejects.toMatchObject({ code: 56, stderr: expect.stringContaining("407") })
  })

  test("trusts nothing without the root", async () => {
    const args = ["--silent", "--proxy", world.url, "--proxy-user", userOf(), "https://api.example.com/"]
    await expect(run("curl", args)).rejects.toMatchObject({ code: 60 })
  })
})

describe("fetch of Node.js, with a proxy agent", () => {
  test.each(ADDRESSES)("reaches %s", async (url, target, host, port) => {
    const dispatcher = new ProxyAgent({
      uri: world.url,
      token: basic(world.sandbox.auth),
      requestTls: { ca: world.ca },
    })
    const response = await fetch(url, { method: "POST", body: "name=Ada", dispatcher })
    expect(await response.json()).toEqual(passed(target, host, port))
    await dispatcher.close()
  })

  test("reaches it through TLS to the proxy, several times at once", async () => {
    const dispatcher = new ProxyAgent({
      uri: `https://127.0.0.1:${world.port}`,
      token: basic(world.sandbox.auth),
      requestTls: { ca: world.ca },
      proxyTls: { ca: world.ca },
    })
    const post = async (number: number) => {
      const options = { method: "POST", body: "name=Ada", dispatcher }
      return (await fetch(`https://api.example.com/${number}`, options)).json()
    }
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8]
    expect(await Promise.all(numbers.map(post))).toEqual(
      numbers.map((number) => passed(`/${number}`, "api.example.com", 443)),
    )
    await dispatcher.close()
  })
})

describe("Python's standard library", () => {
  const python = async (url: string) => {
    const { user, key } = world.sandbox.auth
    const proxy = `http://${user}:${key}@127.0.0.1:${world.port}`
    const { stdout } = await run("python3", [PYTHON_CLIENT, proxy, world.caFile, url])
    return JSON.parse(stdout)
  }

  test.each(ADDRESSES)(
    "reaches %s, checking certificates strictly by RFC 5280",
    async (url, target, host, port) => {
      expect(await python(url)).toEqual(passed(target, host, port))
    },
  )
})

describe("openssl", () => {
  test.each([
    ["with the app's authority between it and the root", true],
    ["by the root", false],
  ])("verifies what a tunnel shows, %s", async (_, isKnown) => {
    const headers = isKnown ? [`Proxy-Authorization: ${basic(world.sandbox.auth)}`] : []
    const { socket } = await world.connect("api.example.com:443", headers)
    const secured = await world.secure(socket, "api.example.com")
    const leaf = secured.getPeerX509Certificate()
    const folder = dirname(world.caFile)
    const [leafFile, chainFile] = [join(folder, "leaf.pem"), join(folder, "chain.pem")]
    await writeFile(leafFile, leaf?.toString() ?? "")
    await writeFile(chainFile, isKnown ? (leaf?.issuerCertificate?.toString() ?? "") : world.ca)
    const verify = (...options: string[]) =>
      run("openssl", [
        "verify",
        "-x509_strict",
        "-purpose",
        "sslserver",
        "-CAfile",
        world.caFile,
        ...options,
        leafFile,
      ])
    const { stdout } = await verify("-untrusted", chainFile, "-verify_hostname", "api.example.com")
    expect(stdout).toContain(": OK")
    await expect(
      verify("-untrusted", chainFile, "-verify_hostname", "other.example.com"),
    ).rejects.toMatchObject({ stderr: expect.stringContaining("hostname mismatch") })
    secured.destroy()
  })
})
