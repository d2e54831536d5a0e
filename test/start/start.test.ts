import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { readFile, rm, stat } from "node:fs/promises"
import { get } from "node:http"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { startLocalService } from "@sealway/local"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { basic } from "../support/service.ts"
import {
  type Ready,
  type StartedProcess,
  start,
  startProgram,
  startReady,
  withFolder,
} from "../support/start.ts"

const shell = promisify(execFile)

const post = async ({ url, apps: [sandbox] }: Ready, path: string, body: string): Promise<string> => {
  const response = await fetch(url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: basic({ user: sandbox?.id ?? "", key: sandbox?.apiKey ?? "" }),
    },
    body,
  })
  return response.text()
}

describe("npm start", () => {
  test("prints commands that work as printed, and says what keeps functions in their box", () =>
    withFolder(async (folder) => {
      const process = start(["--port", "0", "--workers", "1", "--data", join(folder, "data")])
      await process.until(/Stop with Ctrl-C/)
      expect(process.stdout()).toMatch(/^ {2}functions {3}\S/m)
      const commands = process.stdout().match(/^ {2}curl .*$/gm) ?? []
      expect(commands).toHaveLength(3)
      const [encrypted, decrypted, fingerprint] = await Promise.all(
        commands.map(async (command) => JSON.parse((await shell("bash", ["-c", `${command} -sS`])).stdout)),
      )
      expect(Object.keys(encrypted)).toEqual(["name", "card", "age"])
      expect(encrypted.card).toMatch(/^ev:debug:Tk9D:/)
      expect(decrypted).toEqual({ card: "4242424242424242" })
      expect(fingerprint).toMatchObject({ category: "card-number", metadata: { brand: "visa" } })
      expect(await process.stop()).toBe(0)
      expect(process.stderr()).toBe("")
    }))

  test("goes on with the same apps, keys and values after a stop and after being killed, with new keys where the credentials file was removed", () =>
    withFolder(async (folder) => {
      const first = await startReady(folder)
      const token = await post(first.ready, "/encrypt", '"kept"')
      await first.stop()

      const second = await startReady(folder)
      const { url, relayUrl, proxyUrl, strictProxyUrl, caUrl } = second.ready
      const addresses = { url, relayUrl, proxyUrl, strictProxyUrl, caUrl }
      expect(second.ready).toEqual({ ...first.ready, ...addresses })
      expect(await post(second.ready, "/decrypt", token)).toBe('"kept"')
      await second.stop("SIGKILL")
      await rm(join(folder, "credentials.json"))

      const third = await startReady(folder)
      expect(third.ready.apps.map(({ id }) => id)).toEqual(first.ready.apps.map(({ id }) => id))
      expect(third.ready.apps[0]?.apiKey).not.toBe(first.ready.apps[0]?.apiKey)
      expect(await post(third.ready, "/decrypt", token)).toBe('"kept"')
      await third.stop()
    }))

  test.each([
    ["--port", "the API", "1"],
    ["--strict-proxy-port", "the forward proxy that challenges for credentials", "2"],
  ])("names %s, for %s, when its port is in use (%s workers)", (option, server, workers) =>
    withFolder(async (folder) => {
      const { taken, port } = await takePort()
      const refused = start(["--port", "0", option, String(port), "--workers", workers, "--data", folder])
      expect(await refused.ended()).toBe(1)
      expect(refused.stderr()).toBe(
        `Port ${port}, for ${server}, is in use by another process. Choose another port with ${option}, or --port 0 for free ones.\n`,
      )
      taken.close()
    }),
  )

  test.each([["port"], ["strictProxyPort"]])("leaves the data folder free when its %s is in use", (name) =>
    withFolder(async (dataFolder) => {
      const { taken, port } = await takePort()
      const options = { dataFolder, port: 0, hosting: "container" } as const
      const refused = startLocalService({ ...options, [name]: port })
      await expect(refused).rejects.toMatchObject({ code: "EADDRINUSE", port })
      taken.close()
      await (await startLocalService(options)).close()
    }),
  )

  test("lists its options with --help", async () => {
    const process = start(["--help"])
    expect(await process.ended()).toBe(0)
    for (const option of [
      "--port",
      "--data",
      "--json",
      "--limits",
      "--max-requests",
      "--host",
      "--allow-host",
      "--workers",
      "--hide-keys",
    ])
      expect(process.stdout()).toContain(option)
  })

  // Without `--`, npm keeps the option.
  test.each([[["--port", "7500"]], [["--port=7500"]]])(
    "explains how options pass npm: npm start %j",
    async (options) => {
      const process = startProgram(["npm", "start", "--silent", ...options])
      expect(await process.ended()).toBe(2)
      expect(process.stderr()).toContain(
        'npm consumes options before --. Run "npm start -- --port 7500" instead. --help lists the options.\n',
      )
      expect(process.stdout()).toBe("")
    },
  )

  test.each([[["--nonsense"]], [["--workers", "-1"]]])(
    "refuses %j with status 2, and points to --help",
    async (options) => {
      const process = start(options)
      expect(await process.ended()).toBe(2)
      expect(process.stderr()).toMatch(/--help/)
    },
  )
})

describe("npm start --json", () => {
  const folder = mkdtempSync(join(tmpdir(), "sealway-"))
  const data = join(folder, "data")
  let started: StartedProcess & { readonly ready: Ready }

  beforeAll(async () => {
    started = await startReady(data, ["--allow-host", "vault.test", "--allow-host", "b:81"])
  })
  afterAll(() => {
    started.child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  })

  test("prints one line for programs", () => {
    const { ready, stdout } = started
    expect(ready).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      relayUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      proxyUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      strictProxyUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      caUrl: `${ready.proxyUrl}/ca.pem`,
      dataFolder: data,
      teamId: expect.stringMatching(/^team_/),
      teamKey: expect.stringMatching(/^swk_team_/),
      apps: [
        {
          id: expect.stringMatching(/^app_/),
          environment: "sandbox",
          apiKey: expect.stringMatching(/^swk_sandbox_/),
        },
        {
          id: expect.stringMatching(/^app_/),
          environment: "production",
          apiKey: expect.stringMatching(/^swk_production_/),
        },
      ],
    })
    expect(stdout()).toBe(`${JSON.stringify(ready)}\n`)
  })

  test("tells at /health what keeps functions in their box", async () => {
    const health: unknown = await (await fetch(`${started.ready.url}/health`)).json()
    expect(health).toMatchObject({
      functions: {
        confinement: expect.stringMatching(/^(namespaces|landlock|seccomp|none)$/),
        network: expect.stringMatching(/^(public|host)$/),
      },
    })
  })

  test("answers to the names that --allow-host gives it, and refuses others with misdirected-request", async () => {
    const statusFor = async (host: string) => {
      const [answer] = await once(get(`${started.ready.url}/openapi.json`, { headers: { host } }), "response")
      answer.resume()
      return answer.statusCode
    }
    expect(
      await Promise.all(["vault.test", "vault.test:8443", "b:81", "b:82", "evil.test"].map(statusFor)),
    ).toEqual([200, 200, 200, 421, 421])
  })

  test("keeps the folder and its secrets readable by their owner only, and stores no API key", async () => {
    const modes = await Promise.all(
      [data, join(data, "credentials.json"), join(data, "env")].map((path) => stat(path)),
    )
    expect(modes.map(({ mode }) => (mode & 0o777).toString(8))).toEqual(["700", "600", "600"])
    const key = started.ready.apps[0]?.apiKey
    const { stdout } = await shell("bash", ["-c", `grep -rlaF ${key} ${data} | sort`])
    // The env file, too, while the service runs.
    expect(stdout.trim().split("\n")).toEqual([join(data, "credentials.json"), join(data, "env")])
  })

  test("says so when another process holds the data folder", async () => {
    const refused = start(["--port", "0", "--data", data])
    expect(await refused.ended()).toBe(1)
    expect(refused.stderr()).toMatch(/data folder .* is in use by another running process/)
    expect(await post(started.ready, "/decrypt", '"still here"')).toBe('"still here"')
  })

  test.skipIf(process.platform === "win32")("opens no inspector for whoever sends SIGUSR1", async () => {
    started.child.kill("SIGUSR1")
    expect((await fetch(`${started.ready.url}/health`)).status).toBe(200)
    expect(started.stderr()).toBe("")
  })

  test("removes the env file when SIGTERM stops it, and has written nothing else", async () => {
    const { ready, stop, stdout, stderr } = started
    expect(await readFile(join(data, "env"), "utf8")).toContain(`export SEALWAY_URL=${ready.url}\n`)
    expect(await stop("SIGTERM")).toBe(0)
    await expect(readFile(join(data, "env"))).rejects.toMatchObject({ code: "ENOENT" })
    expect(stdout()).toBe(`${JSON.stringify(ready)}\n`)
    expect(stderr()).toBe("")
  })
})

/** A server on a free port of this machine. */
async function takePort() {
  const taken = createServer().listen(0, "127.0.0.1")
  await once(taken, "listening")
  const address = taken.address()
  return { taken, port: typeof address === "object" && address !== null ? address.port : 0 }
}
