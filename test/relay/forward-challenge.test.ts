import { execFile, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { createTeam } from "@sealway/management"
import { SYSTEM } from "@sealway/records"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { basic, type ForwardWorld, startForwardWorld } from "./forward-world.ts"
import { exchange } from "./raw-exchange.ts"

const run = promisify(execFile)
const JAVA_CLIENT = fileURLToPath(new URL("challenge-client.java", import.meta.url))
const HOST = "api.example.com"
const GET = `GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`

let world: ForwardWorld

beforeAll(async () => {
  world = await startForwardWorld()
  await world.addRelay(world.sandbox.app, HOST)
})
afterAll(() => world.close())

const connectStrictly = async (target: string, headers: readonly string[] = []) =>
  world.connect(target, headers, await world.open(world.strictPort))
const userNames = () => ({
  "the app's id": world.sandbox.app.id,
  "the team's id": world.sandbox.app.teamId,
  nothing: "",
})

describe("CONNECT without credentials where clients are challenged", () => {
  test("is answered with 407, byte for byte the same whether a host has a relay or not", async () => {
    const targets = [`${HOST}:443`, "unknown.example.com:443", `${HOST}:1`, "169.254.169.254:80", "[::1]:443"]
    const answers = await Promise.all(targets.map((target) => connectStrictly(target)))
    for (const { status, code, headers, body } of answers) {
      expect({ status, code }).toEqual({ status: 407, code: "proxy-authentication-required" })
      expect(headers["proxy-authenticate"]).toContain("Basic realm=")
      expect([{ ...headers, date: "" }, String(body)]).toEqual([
        { ...answers[0]?.headers, date: "" },
        String(answers[0]?.body),
      ])
    }
    expect(world.seen).toEqual([])
  })

  test("is challenged on the other port for the strict name in TLS, and works as before without a name", async () => {
    const connectAs = async (servername: string) => {
      const secured = await world.secure(await world.open(), servername, {
        checkServerIdentity: () => undefined,
      })
      const names = secured.getPeerX509Certificate()?.subjectAltName
      return { names, answer: await world.connect(`${HOST}:443`, [], secured) }
    }
    const [strict, unnamed, other] = await Promise.all(["strict.localhost", "", "localhost"].map(connectAs))
    expect(strict?.answer).toMatchObject({ status: 407, code: "proxy-authentication-required" })
    expect([unnamed?.answer.status, other?.answer.status]).toEqual([200, 200])
    // The default certificate, which clients get for every name and for none.
    expect(strict?.names).toContain("strict.localhost")
    expect([unnamed?.names, other?.names]).toEqual([strict?.names, strict?.names])
    for (const each of [unnamed, other]) each?.answer.socket.destroy()
  })
})

describe.each(["lenient", "strict"] as const)(
  "a user name in Proxy-Authorization, on the %s port,",
  (kind) => {
    const connect = async (user: string, key: string) => {
      const port = kind === "strict" ? world.strictPort : world.port
      const header = `Proxy-Authorization: ${basic({ user, key })}`
      return world.connect(`${HOST}:443`, [header], await world.open(port))
    }

    test.each(["the app's id", "the team's id", "nothing"] as const)("may be %s", async (name) => {
      const { socket, status } = await connect(userNames()[name], world.sandbox.auth.key)
      expect(status).toBe(200)
      const secured = await world.secure(socket, HOST)
      expect(await exchange(secured, GET)).toMatchObject({ status: 200 })
      expect(world.seen.at(-1)?.credentials).toMatchObject({ appId: world.sandbox.app.id })
      secured.destroy()
    })

    test("may be nothing else, not even another team's id or another app's", async () => {
      const { platform, production, sandbox } = world
      const other = await createTeam(platform, "Other", SYSTEM)
      for (const user of [
        other.id,
        production.app.id,
        "team_",
        "x",
        sandbox.auth.key,
        `${sandbox.app.id} `,
      ]) {
        expect(await connect(user, sandbox.auth.key)).toMatchObject({
          status: 407,
          code: "proxy-auth-failed",
        })
      }
      for (const user of ["", sandbox.app.teamId, sandbox.app.id]) {
        expect(await connect(user, world.team.key)).toMatchObject({ status: 407, code: "proxy-auth-failed" })
      }
    })
  },
)

describe("a client that sends credentials only when challenged", () => {
  const passed = () => ({ target: "/v1", host: HOST, body: "name=Ada" })

  test("reaches the destination: curl --proxy-anyauth", async () => {
    const args = ["--silent", "--show-error", "--cacert", world.caFile, "--proxy-anyauth"]
    const proxy = ["--proxy", `http://127.0.0.1:${world.strictPort}`]
    const user = ["--proxy-user", `${world.sandbox.app.teamId}:${world.sandbox.auth.key}`]
    const url = `https://${HOST}/v1`
    const { stdout } = await run("curl", [...args, ...proxy, ...user, "--data", "name=Ada", url])
    expect(JSON.parse(stdout)).toMatchObject(passed())
  })

  // `npm test` does not require a JDK.
  const hasJava = spawnSync("java", ["-version"]).status === 0
  test.skipIf(!hasJava)(
    "reaches the destination: the JDK's HttpClient",
    async () => {
      const { app, auth } = world.sandbox
      // Basic is disabled for tunnels unless this option enables it.
      const options = ["-Djdk.http.auth.tunneling.disabledSchemes="]
      const args = [String(world.strictPort), app.teamId, auth.key, world.caFile, `https://${HOST}/v1`]
      const { stdout } = await run("java", [...options, JAVA_CLIENT, ...args])
      expect(JSON.parse(stdout)).toMatchObject(passed())
    },
    60_000,
  )
})
