import { X509Certificate } from "node:crypto"
import { connect, createServer, type SecureContext } from "node:tls"
import type { App } from "@sealway/accounts"
import { TEST_APP } from "@sealway/accounts/testing"
import type { KmsEnvelope } from "@sealway/keys"
import { createTestKeyring } from "@sealway/keys/testing"
import { createMemoryTable } from "@sealway/ports/testing"
import { describe, expect, test } from "vitest"
import { createRelayAuthority } from "./relay-authority.ts"

const DAY_MS = 24 * 60 * 60_000
const YEAR_MS = 365 * DAY_MS
const START_MS = Date.UTC(2030, 0, 1)
const OTHER_APP: App = { ...TEST_APP, id: "app_2" }

/** Binds to the context, as KMS does. */
const envelope: KmsEnvelope = {
  seal: async (plaintext, context) =>
    Buffer.from(`${JSON.stringify(context)}\n${Buffer.from(plaintext).toString("hex")}`),
  async open(ciphertext, context) {
    const [sealedIn, hex = ""] = Buffer.from(ciphertext).toString().split("\n")
    if (sealedIn !== JSON.stringify(context)) throw new Error("This is another context")
    return Buffer.from(hex, "hex")
  },
}

async function newWorld() {
  const keyring = createTestKeyring()
  for (const app of [TEST_APP, OTHER_APP]) await keyring.addVersion(app)
  const table = createMemoryTable()
  const clock = { ms: START_MS }
  const newAuthority = () =>
    createRelayAuthority({ table, envelope, keyring, now: () => clock.ms, wallClock: () => clock.ms })
  return { table, clock, keyring, newAuthority, authority: newAuthority() }
}

const certificates = (pem: string) =>
  pem
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter((part) => part !== "")
    .map((part) => new X509Certificate(part))

/** Returns the chain that a server with this context presents, leaf first. */
async function shown(secureContext: SecureContext): Promise<X509Certificate[]> {
  const server = createServer({ SNICallback: (_, done) => done(null, secureContext) })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new TypeError("The server listens on TCP")
  const socket = connect({
    port: address.port,
    host: "127.0.0.1",
    servername: "any",
    rejectUnauthorized: false,
  })
  await new Promise((resolve) => socket.once("secureConnect", resolve))
  const chain: X509Certificate[] = []
  let certificate = socket.getPeerX509Certificate()
  while (certificate !== undefined && !chain.some(({ raw }) => certificate?.raw.equals(raw))) {
    chain.push(certificate)
    certificate = certificate.issuerCertificate
  }
  socket.destroy()
  server.close()
  return chain
}

describe("the relay's certificate authority", () => {
  test("has one root, the same for each process, however many ask at once", async () => {
    const { newAuthority, table } = await newWorld()
    const chains = await Promise.all(
      [newAuthority(), newAuthority(), newAuthority()].map((each) => each.rootChain()),
    )
    expect(new Set(chains).size).toBe(1)
    expect(await newAuthority().rootChain()).toBe(chains[0])
    expect([...table.items.keys()]).toEqual(["relay-authority\nrelay-authority"])
  })

  test("has a root that is valid for ten years and signs one level of authorities", async () => {
    const { authority } = await newWorld()
    const [root, ...rest] = certificates(await authority.rootChain())
    expect(rest).toEqual([])
    expect(root?.ca).toBe(true)
    expect(root?.verify(root.publicKey)).toBe(true)
    expect(root?.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" })
    expect(root?.validFromDate.getTime()).toBe(START_MS - 60 * 60_000)
    expect(root?.validToDate.getTime()).toBe(START_MS + 10 * YEAR_MS)
  })

  test("gives each app its own authority, signed by the root, the same for each process", async () => {
    const { authority, newAuthority } = await newWorld()
    const chains = await Promise.all([
      authority.appChain(TEST_APP),
      newAuthority().appChain(TEST_APP),
      authority.appChain(OTHER_APP),
    ])
    expect(chains[0]).toBe(chains[1])
    const [app, root] = certificates(chains[0])
    const [other] = certificates(chains[2])
    if (!app || !root || !other) throw new Error("A certificate is missing")
    expect(certificates(await authority.rootChain())[0]?.raw).toEqual(root.raw)
    expect(app.subject).toBe("O=Sealway\nCN=Sealway Relay app_1")
    expect(app.checkIssued(root) && app.verify(root.publicKey)).toBe(true)
    expect(app.validToDate.getTime()).toBe(START_MS + 5 * YEAR_MS)
    expect(other.publicKey.equals(app.publicKey)).toBe(false)
  })

  test("issues a host's certificate with the app's authority, for a week, and sends the authority with it", async () => {
    const { authority } = await newWorld()
    const [leaf, app] = await shown(await authority.secureContext(["api.example.com"], TEST_APP))
    const [expected] = certificates(await authority.appChain(TEST_APP))
    if (!leaf || !app || !expected) throw new Error("A certificate is missing")
    expect(app.raw).toEqual(expected.raw)
    expect(leaf.checkIssued(app) && leaf.verify(app.publicKey)).toBe(true)
    expect(leaf.subjectAltName).toBe("DNS:api.example.com")
    expect(leaf.ca).toBe(false)
    expect(leaf.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"])
    expect(leaf.validFromDate.getTime()).toBe(START_MS - 60 * 60_000)
    expect(leaf.validToDate.getTime()).toBe(START_MS + 7 * DAY_MS)
    expect(leaf.checkHost("api.example.com")).toBe("api.example.com")
    expect(leaf.checkHost("www.api.example.com")).toBeUndefined()
    expect(leaf.checkHost("Sealway")).toBeUndefined()
  })

  test("issues addresses as addresses, with the root when there is no app", async () => {
    const { authority } = await newWorld()
    const [leaf, ...rest] = await shown(
      await authority.secureContext(["localhost", "127.0.0.1", "::1"], null),
    )
    const [root] = certificates(await authority.rootChain())
    if (!leaf || !root) throw new Error("A certificate is missing")
    expect(rest).toEqual([])
    expect(leaf.checkIssued(root) && leaf.verify(root.publicKey)).toBe(true)
    expect(leaf.checkIP("127.0.0.1")).toBe("127.0.0.1")
    expect(leaf.checkIP("::1")).toBe("::1")
    expect(leaf.checkHost("localhost")).toBe("localhost")
  })

  test("has one key for all leaves and issues each once a day, even for overlapping requests", async () => {
    const { authority, clock } = await newWorld()
    const ask = () => authority.secureContext(["api.example.com"], TEST_APP)
    const [first, second] = await Promise.all([ask(), ask()])
    expect(second).toBe(first)
    clock.ms += DAY_MS - 1
    expect(await ask()).toBe(first)
    clock.ms += 2
    const third = await ask()
    expect(third).not.toBe(first)
    const byRoot = await authority.secureContext(["api.example.com"], null)
    const leaves = await Promise.all([first, third, byRoot].map(async (each) => (await shown(each))[0]))
    const keys = leaves.map((leaf) => leaf?.publicKey.export({ format: "pem", type: "spki" }))
    expect(new Set(keys).size).toBe(1)
    expect(new Set(leaves.map((leaf) => leaf?.serialNumber)).size).toBe(3)
  })

  test("renews certificates long before they expire, with the key and name that clients already trust", async () => {
    const { authority, newAuthority, clock } = await newWorld()
    const [app, root] = certificates(await authority.appChain(TEST_APP))
    clock.ms = START_MS + 4 * YEAR_MS
    expect(certificates(await newAuthority().appChain(TEST_APP)).map(({ raw }) => raw)).toEqual([
      app?.raw,
      root?.raw,
    ])

    clock.ms += 1000
    const processes = [newAuthority(), newAuthority()]
    const chains = await Promise.all(processes.map((each) => each.appChain(TEST_APP)))
    expect(chains[0]).toBe(chains[1])
    const [renewedApp, renewedRoot] = certificates(chains[0] ?? "")
    if (!app || !root || !renewedApp || !renewedRoot) throw new Error("A certificate is missing")
    expect(renewedApp.validToDate.getTime()).toBe(clock.ms + 5 * YEAR_MS)
    expect(renewedRoot.validToDate.getTime()).toBe(clock.ms + 10 * YEAR_MS)
    expect(renewedApp.publicKey.equals(app.publicKey)).toBe(true)
    // A client that trusts the first root trusts what the renewed one signs.
    expect(renewedApp.checkIssued(root) && renewedApp.verify(root.publicKey)).toBe(true)
    expect(renewedRoot.subject).toBe(root.subject)
    expect(renewedRoot.publicKey.equals(root.publicKey)).toBe(true)
  })

  test("never issues a certificate that outlives its issuer", async () => {
    const { authority, newAuthority, clock } = await newWorld()
    for (let year = 0; year < 30; year++) {
      clock.ms = START_MS + year * YEAR_MS
      const chain = certificates(await newAuthority().appChain(TEST_APP))
      const [app, root] = chain.map(({ validToDate }) => validToDate.getTime())
      if (app === undefined || root === undefined) throw new Error("A certificate is missing")
      expect(app).toBeGreaterThan(clock.ms + 7 * DAY_MS)
      expect(root).toBeGreaterThanOrEqual(app)
    }
    expect(certificates(await authority.rootChain())[0]?.validToDate.getTime()).toBeGreaterThan(clock.ms)
  })

  test("stores no key in plain text, and opens none that was moved to another app", async () => {
    const { authority, newAuthority, table } = await newWorld()
    await Promise.all([authority.appChain(TEST_APP), authority.appChain(OTHER_APP)])
    const item = await table.get({ pk: "app#app_1", sk: "relay-authority" })
    if (item === null || !(item.sealed instanceof Uint8Array)) throw new Error("The authority is not stored")
    expect(Buffer.from(item.sealed).includes("privateKey")).toBe(false)
    await table.put({ pk: "app#app_2", sk: "relay-authority" }, item)
    await expect(newAuthority().appChain(OTHER_APP)).rejects.toThrow("does not open")
  })

  test("does not serve a certificate that an attacker put into the table", async () => {
    const { authority, newAuthority, table } = await newWorld()
    const foreign = await newWorld()
    await Promise.all([authority.appChain(TEST_APP), foreign.authority.appChain(TEST_APP)])
    const key = { pk: "app#app_1", sk: "relay-authority" }
    await table.put(key, (await foreign.table.get(key)) ?? {})
    await expect(newAuthority().appChain(TEST_APP)).rejects.toThrow("does not open")
  })
})
