import { execFile } from "node:child_process"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { createSimulatedNitro, pcrsOf } from "@sealway/enclave/testing"
import { type AgentOptions, createAgent, parseAgentConfiguration } from "@sealway/enclave-agent"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildAgent } from "../scripts/agent/build-agent.ts"
import { useService } from "./support/service.ts"
import { withFolder } from "./support/start.ts"

const runNode = promisify(execFile)

const PCR0 = "01".repeat(48)
const CARD = "4000000000000002"
const REQUIRED = {
  SEALWAY_URL: "https://api.example.com",
  SEALWAY_TEAM: "team_0123456789ab",
  SEALWAY_APP: "app_0123456789ab",
}
const nitro = await createSimulatedNitro(Date.now, pcrsOf(1))
const service = useService("container", { enclaveRoot: nitro.rootFingerprint })

const servers: Server[] = []
afterAll(() => servers.map((server) => server.closeAllConnections() ?? server.close()))

async function listen(server: Server): Promise<string> {
  servers.push(server)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return `http://127.0.0.1:${portOf(server)}`
}
const portOf = (server: Server) => (server.address() as AddressInfo).port

interface World {
  readonly url: string
  readonly ingress: string
  /** What the program in the enclave has received. */
  readonly received: { body: string; headers: Readonly<Record<string, unknown>>; url: string }[]
  /** How often the API was called. */
  readonly calls: () => number
  readonly errors: unknown[]
}

async function startAgent(
  options: Partial<AgentOptions> = {},
  fetchOf: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch = (fetch) => fetch,
): Promise<World> {
  const received: World["received"] = []
  const errors: unknown[] = []
  let calls = 0
  const program = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    received.push({ body, headers: request.headers, url: request.url ?? "" })
    response.writeHead(201, { "x-answer": "yes" }).end("done")
  })
  await listen(program)
  const { team, sandbox } = service
  const agent = createAgent(
    {
      serviceUrl: service.url,
      teamId: team.id,
      appId: sandbox.app.id,
      apiKey: sandbox.auth.key,
      targetPort: portOf(program),
      ...options,
    },
    {
      securityModule: { attest: async (request) => nitro.attest(request) },
      fetch: fetchOf((...given) => {
        calls++
        return fetch(...given)
      }),
      now: performance.now.bind(performance),
      wallClock: Date.now,
      onError: (error) => errors.push(error),
    },
  )
  if (agent.ingress === null) throw new Error("The agent has no ingress")
  const [url, ingress] = [await listen(agent.server), await listen(agent.ingress)]
  return { url, ingress, received, calls: () => calls, errors }
}

function post(url: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) {
  return fetch(url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })
}

async function expectRefused(answer: Response, status: number, code: string) {
  expect(answer.headers.get("content-type")).toBe("application/problem+json")
  expect(await answer.json()).toMatchObject({ status, code })
  expect(answer.status).toBe(status)
}

let agent: World

beforeAll(async () => {
  await service.newRole(service.sandbox.app, "pci")
  const conditions = { sources: ["enclave"], enclavePcrs: { pcr0: PCR0 } }
  await service.post("/data-policies", { name: "A", effect: "permit", roles: ["pci"], conditions })
  await service.post("/enclaves", { name: "A", pcrs: { pcr0: PCR0 } })
  agent = await startAgent()
})

describe("the agent's /encrypt", () => {
  const encrypt = (body: string, headers?: Record<string, string>) =>
    post(`${agent.url}/encrypt`, body, headers)

  test("encrypts without a call once it has the public key, keeps shape and digits, and the role is sealed in", async () => {
    await encrypt("1")
    const before = agent.calls()
    const answer = await encrypt(`{"card": "${CARD}", "n": 1.50, "none": null}`, {
      "x-service-data-role": "pci",
    })
    const sealed = await answer.text()
    expect(agent.calls()).toBe(before)
    expect(sealed).toMatch(/^\{"card": "ev:debug:[^"]+", "n": "ev:debug:[^"]+", "none": null\}$/)
    expect((await service.post("/decrypt", sealed)).status).toBe(403)
    const opened = await post(`${agent.url}/decrypt`, sealed)
    expect(await opened.text()).toBe(`{"card": "${CARD}", "n": 1.50, "none": null}`)
    expect(opened.headers.get("cache-control")).toBe("no-store")
  })

  test("uses an older key while the service cannot be reached, and says so if it has none", async () => {
    let isDown = true
    const away = await startAgent(
      {},
      (fetch) =>
        (...given) =>
          isDown ? Promise.reject() : fetch(...given),
    )
    await expectRefused(await post(`${away.url}/encrypt`, "1"), 503, "service-unavailable")
    isDown = false
    expect((await post(`${away.url}/encrypt`, "1")).status).toBe(200)
    isDown = true
    expect((await post(`${away.url}/encrypt`, "1")).status).toBe(200)
  })

  test("refuses what is not JSON, a role that is no slug, and too large a body", async () => {
    await expectRefused(await encrypt("{"), 400, "invalid-request")
    await expectRefused(await encrypt("1", { "x-service-data-role": "No Slug" }), 400, "invalid-request")
    await expectRefused(await encrypt("1", { "content-type": "text/plain" }), 415, "unsupported-media-type")
    await expectRefused(await encrypt(`"${"x".repeat(5 * 1024 * 1024)}"`), 413, "payload-too-large")
  })
})

describe("the agent's /decrypt", () => {
  const decrypt = (world: World, body: string) => post(`${world.url}/decrypt`, body)
  const sealed = async (role: string | null, value: unknown) => {
    const headers = role === null ? {} : { "x-service-data-role": role }
    return (await service.post("/encrypt", JSON.stringify(value), { headers })).text
  }

  test("needs no API key when the image is registered, except for values without a role", async () => {
    const keyless = await startAgent({ apiKey: null })
    const answer = await decrypt(keyless, await sealed("pci", CARD))
    expect(await answer.text()).toBe(`"${CARD}"`)
    await expectRefused(await decrypt(keyless, await sealed(null, 1)), 403, "decrypt/forbidden")
  })

  test("repeats the API's refusals, with their places", async () => {
    await service.newRole(service.sandbox.app, "other")
    const answer = await decrypt(agent, `{"a":${await sealed("other", 1)}}`)
    expect(await answer.json()).toMatchObject({ code: "decrypt/forbidden", fields: [{ pointer: "/data/a" }] })
    const wrong = await startAgent({ apiKey: "wrong" })
    await expectRefused(await decrypt(wrong, "1"), 401, "unauthorized")
  })

  test("refuses bytes that would add fields to its request to the API", async () => {
    await expectRefused(await decrypt(agent, '1,"data":2'), 400, "invalid-request")
    await expectRefused(await decrypt(agent, '1}{"data":2'), 400, "invalid-request")
  })

  test("refuses an answer that is not encrypted to it, and one that is no answer", async () => {
    const answers = [
      '{"sealed":"eyJhbGciOiJub25lIn0.e.e.e.e"}',
      `{"sealed":1}`,
      CARD,
      "",
      "x".repeat(9_000_000),
    ]
    for (const text of answers) {
      const world = await startAgent({}, () => async () => new Response(text))
      await expectRefused(await decrypt(world, "1"), 503, "service-unavailable")
    }
  })

  test("says that the security module does not answer, and nothing about why", async () => {
    const { team, sandbox } = service
    const errors: unknown[] = []
    const { server } = createAgent(
      { serviceUrl: service.url, teamId: team.id, appId: sandbox.app.id, apiKey: null, targetPort: null },
      {
        securityModule: { attest: () => Promise.reject(new Error("secret")) },
        fetch,
        now: performance.now.bind(performance),
        wallClock: Date.now,
        onError: (error) => errors.push(error),
      },
    )
    const answer = await post(`${await listen(server)}/decrypt`, "1")
    expect(await answer.text()).not.toContain("secret")
    expect([answer.status, errors.length]).toEqual([500, 1])
  })
})

describe("the agent's other paths", () => {
  const attest = (body: object) => post(`${agent.url}/attestation-doc`, JSON.stringify(body))
  const base64 = (text: string) => Buffer.from(text).toString("base64")

  test("give documents for others, as bytes, with what they are asked for", async () => {
    const answer = await attest({
      challenge: base64("hello"),
      nonce: base64("once"),
      public_key: base64("key"),
    })
    expect(answer.headers.get("content-type")).toBe("application/octet-stream")
    const document = Buffer.from(await answer.arrayBuffer())
    for (const text of ["hello", "once", "key"]) expect(document.includes(text)).toBe(true)
    expect((await attest({})).status).toBe(200)
  })

  test("give no document that would decrypt somebody's values", async () => {
    for (const challenge of ["sealway-decrypt-1:", `sealway-decrypt-1:${"x".repeat(32)}`]) {
      await expectRefused(await attest({ challenge: base64(challenge) }), 400, "invalid-request")
    }
    for (const body of [{ challenge: "a b" }, { nonce: base64("x".repeat(513)) }, { user_data: "" }]) {
      await expectRefused(await attest(body), 400, "invalid-request")
    }
  })

  test("tell whether it runs, and which there are", async () => {
    expect(await (await fetch(`${agent.url}/health`)).json()).toEqual({ status: "ok" })
    await expectRefused(await fetch(`${agent.url}/decrypt`), 404, "not-found")
    await expectRefused(await post(`${agent.url}/`, "1"), 404, "not-found")
  })
})

describe("the agent's ingress", () => {
  test("decrypts tokens in JSON before the program gets it, and passes the rest of the exchange on", async () => {
    const sealed = (
      await service.post("/encrypt", `"${CARD}"`, { headers: { "x-service-data-role": "pci" } })
    ).text
    const answer = await post(`${agent.ingress}/pay?a=1`, `{"card":${sealed}, "n":1.50}`, { "x-more": "yes" })
    expect([answer.status, answer.headers.get("x-answer"), await answer.text()]).toEqual([201, "yes", "done"])
    expect(agent.received.at(-1)).toMatchObject({
      url: "/pay?a=1",
      body: `{"card":"${CARD}", "n":1.50}`,
      headers: { "x-more": "yes" },
    })
  })

  test.each<[string, string, string]>([
    ["JSON without tokens", '{"a": 1}', "application/json"],
    ["what is not JSON", '{"a": "ev:', "application/json"],
    ["other media types", '"ev:debug:x:y:$"', "text/plain"],
  ])("passes %s on unchanged, without a call", async (_name, body, contentType) => {
    const before = agent.calls()
    const answer = await post(agent.ingress, body, { "content-type": contentType })
    expect([answer.status, agent.received.at(-1)?.body, agent.calls()]).toEqual([201, body, before])
  })

  test("lets no request through whose values are refused, or that is too large", async () => {
    await service.newRole(service.sandbox.app, "never")
    const sealed = (await service.post("/encrypt", "1", { headers: { "x-service-data-role": "never" } })).text
    const before = agent.received.length
    await expectRefused(await post(agent.ingress, sealed), 403, "decrypt/forbidden")
    await expectRefused(
      await post(agent.ingress, `"${"x".repeat(4 * 1024 * 1024)}"`),
      413,
      "payload-too-large",
    )
    expect(agent.received.length).toBe(before)
  })

  test("keeps the body of a GET in chunks, so that the program does not take it for another request", async () => {
    const smuggled = "GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n"
    const head = "GET /outer HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
    const before = agent.received.length
    const { port } = new URL(agent.ingress)
    const socket = connect(Number(port), "127.0.0.1")
    socket.write(`${head}${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`)
    const answer = Buffer.concat(await socket.toArray()).toString()
    expect(answer).toMatch(/^HTTP\/1.1 201 /)
    // A request that was smuggled would be there before the next one on the same connection.
    expect((await fetch(`${agent.ingress}/next`)).status).toBe(201)
    const received = agent.received.slice(before).map(({ url, body }) => [url, body])
    expect(received).toEqual([
      ["/outer", smuggled],
      ["/next", ""],
    ])
  })

  test("reads nothing behind a request with Upgrade, whose answer ends the connection", async () => {
    const received: (string | undefined)[] = []
    const program = createServer(async ({ url }, response) => {
      received.push(url)
      if (url === "/a") {
        // While the program works, and the agent has served what came after it.
        socket.write("GET /in-the-body HTTP/1.1\r\nHost: a\r\n\r\n")
        await fetch(`${ingress}/other`)
      }
      response.end()
    })
    const { ingress } = await startAgent({ targetPort: Number(new URL(await listen(program)).port) })
    const socket = connect(Number(new URL(ingress).port), "127.0.0.1")
    let answered = ""
    socket.on("data", (chunk) => {
      answered += chunk
    })
    socket.write(
      "GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n" +
        "POST /skipped HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n",
    )
    await once(socket, "close")
    expect(answered).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/i)
    expect(answered.split("HTTP/1.1 ")).toHaveLength(2)
    expect(received).toEqual(["/a", "/other"])
  })

  test("reports no error when a client goes before its request is complete", async () => {
    const { ingress, errors } = await startAgent()
    const { port } = new URL(ingress)
    const socket = connect(Number(port), "127.0.0.1")
    socket.end("POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{")
    await socket.resume().toArray()
    expect((await post(ingress, "1")).status).toBe(201)
    expect(errors).toEqual([])
  })

  test("outlives a program that answers with no status", async () => {
    const program = createTcpServer((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n"))
    })
    program.listen(0, "127.0.0.1")
    await once(program, "listening")
    const { ingress } = await startAgent({ targetPort: (program.address() as AddressInfo).port })
    await expectRefused(await post(ingress, "1"), 503, "service-unavailable")
    program.close()
  })

  test("answers with service-unavailable when the program does not run", async () => {
    const [closed] = [createServer()]
    await listen(closed)
    const targetPort = portOf(closed)
    closed.close()
    const { ingress } = await startAgent({ targetPort })
    await expectRefused(await post(ingress, "1"), 503, "service-unavailable")
  })
})

describe("the built agent", () => {
  test("is one file and a library, which start in an enclave only", () =>
    withFolder(async (folder) => {
      const built = join(folder, "agent")
      await buildAgent(built)
      const agent = join(built, "agent.mjs")
      const started = runNode(process.execPath, [agent], { cwd: folder, env: REQUIRED })
      await expect(started).rejects.toMatchObject({ stderr: expect.stringContaining("/dev/nsm") })
      const misconfigured = runNode(process.execPath, [agent], { env: {} })
      await expect(misconfigured).rejects.toMatchObject({ stderr: expect.stringContaining("SEALWAY_URL") })
    }))
})

describe("the agent's configuration", () => {
  test("has the ports of the specification unless others are given", () => {
    expect(parseAgentConfiguration(REQUIRED)).toEqual({
      serviceUrl: "https://api.example.com",
      teamId: "team_0123456789ab",
      appId: "app_0123456789ab",
      apiKey: null,
      port: 9_999,
      ingressPort: 8_008,
      targetPort: null,
    })
  })

  test("refuses to lead requests from outside to the agent itself", () => {
    for (const port of ["9999", "8008"]) {
      const wrong = { ...REQUIRED, SEALWAY_TARGET_PORT: port }
      expect(() => parseAgentConfiguration(wrong)).toThrow("SEALWAY_TARGET_PORT")
    }
  })

  test("names every variable that is wrong", () => {
    const wrong = { SEALWAY_URL: "http://api.example.com", SEALWAY_APP: "x", SEALWAY_TARGET_PORT: "65536" }
    for (const name of [...Object.keys(wrong), "SEALWAY_TEAM"]) {
      expect(() => parseAgentConfiguration(wrong)).toThrow(name)
    }
  })
})
