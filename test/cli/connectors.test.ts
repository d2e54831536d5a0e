import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import type { Server } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createAnswers, startConnector } from "../../examples/connector/connector.mjs"
import { type ConnectorCertificates, createConnectorCertificates } from "../support/connector-certificates.ts"
import { NEW_KEY, withOpenSsl } from "../support/openssl.ts"
import { useService } from "../support/service.ts"
import { withFolder } from "../support/start.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
let certificates: ConnectorCertificates
let bundle: Buffer
let connector: Server
let url = ""
let secret = ""

beforeAll(async () => {
  certificates = createConnectorCertificates()
  bundle = withOpenSsl(({ run, read }) => {
    run("req", "-x509", ...NEW_KEY, "-nodes", "-subj", "/CN=bundled", "-keyout", "k.pem", "-out", "c.pem")
    run("pkcs12", "-export", "-inkey", "k.pem", "-in", "c.pem", "-passout", "pass:pass-7f3a", "-out", "b.p12")
    return read("b.p12")
  })
  connector = await startConnector({
    port: 0,
    key: certificates.server.privateKey,
    cert: certificates.server.certificate,
    clientCa: certificates.authority,
    secret: () => secret,
    answers: createAnswers({}),
    onRequest: () => undefined,
  })
  url = `https://127.0.0.1:${(connector.address() as AddressInfo).port}`
})
afterAll(async () => {
  connector.closeAllConnections()
  connector.close()
  await once(connector, "close")
})

/** Creates a production app, and a folder with the files of its connector. */
async function withApp(
  use: (sealway: (args: readonly string[], options?: CliOptions) => ReturnType<typeof runAgainst>) => unknown,
): Promise<void> {
  const { app } = await service.newApp("production")
  await withFolder(async (folder) => {
    await writeFile(join(folder, "client.pem"), certificates.client.certificate)
    await writeFile(join(folder, "client.key"), certificates.client.privateKey)
    await writeFile(join(folder, "client.p12"), bundle)
    await writeFile(join(folder, "ca.pem"), certificates.authority)
    await use((args, { env = {}, ...options } = {}) =>
      runAgainst(service, ["connectors", ...args], {
        folder,
        env: { SEALWAY_APP: app.id, ...env },
        ...options,
      }),
    )
  })
}

const SET = ["--cert", "client.pem", "--key", "client.key", "--ca", "ca.pem"]

describe("connectors", () => {
  test("are set from files, shown without secrets, tested and deleted", () =>
    withApp(async (sealway) => {
      const set = await sealway(["set", url, ...SET, "--quiet"])
      expect(set).toMatchObject({ exitCode: 0 })
      expect(set.stdout).toMatch(/^whsec_\S+\n$/)
      secret = set.stdout.trim()
      expect(await sealway(["test"])).toMatchObject({ exitCode: 0, stdout: "ok\n" })
      const shown = await sealway(["show", "--json"])
      expect(shown.json()).toMatchObject({ url, clientCertificate: { subject: "CN=client" } })
      const again = await sealway(["set", `${url}/v2`, ...SET])
      expect(again.stdout).toContain(`${url}/v2`)
      expect(again.stderr).toContain("secret did not change")
      for (const { stdout } of [shown, again]) expect(stdout).not.toMatch(/whsec_|PRIVATE/)
      expect((await sealway(["delete", "--yes"])).exitCode).toBe(0)
      expect((await sealway(["show"])).exitCode).toBe(4)
    }))

  test("get a new secret, which alone signs once the overlap is over", () =>
    withApp(async (sealway) => {
      secret = (await sealway(["set", url, ...SET, "--quiet"])).stdout.trim()
      const rotated = await sealway(["rotate-secret", "--overlap", "0s", "--quiet"])
      expect(rotated.stdout).toMatch(/^whsec_\S+\n$/)
      const failed = await sealway(["test"])
      expect(failed).toMatchObject({ exitCode: 1, stdout: "" })
      expect(failed.stderr).toContain("status-code 401")
      secret = rotated.stdout.trim()
      expect((await sealway(["test", "--json"])).json()).toEqual({ status: "ok" })
    }))

  test("accept a PKCS#12 file, whose password is in the environment", () =>
    withApp(async (sealway) => {
      const set = ["set", url, "--pkcs12", "client.p12", "--password-variable", "CLIENT_PASSWORD"]
      const done = await sealway(set, { env: { CLIENT_PASSWORD: "pass-7f3a" } })
      expect(done).toMatchObject({ exitCode: 0 })
      expect(done.stdout).toContain("CN=bundled")
      const refused = await sealway(set, { env: { CLIENT_PASSWORD: "wrong-7f3a" } })
      expect(refused).toMatchObject({ exitCode: 1, stdout: "" })
      expect(refused.stderr).not.toContain("wrong-7f3a")
    }))

  test("refuse an incomplete client certificate before anything is sent", () =>
    withApp(async (sealway) => {
      const fetch = () => Promise.reject(new Error("Something was sent"))
      const refused = [
        [],
        ["--cert", "client.pem"],
        ["--key", "client.key"],
        ["--cert", "nothing.pem", "--key", "client.key"],
        ["--cert", "client.pem", "--key", "client.key", "--pkcs12", "client.p12"],
        [...SET, "--password-variable", "MISSING"],
      ]
      for (const args of refused) {
        expect(await sealway(["set", url, ...args], { fetch })).toMatchObject({ exitCode: 2 })
      }
    }))
})
