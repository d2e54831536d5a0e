import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { withOpenSsl } from "../support/openssl.ts"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()

const relaySchema = z.object({
  id: z.string(),
  createdAt: z.int(),
  clientCertificate: z
    .strictObject({
      format: z.enum(["pem", "pkcs12"]),
      subject: z.string(),
      fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
      expiresAt: z.int(),
    })
    .nullable(),
})

let hosts = 0
const newHost = () => `api-${++hosts}.destination.example`

async function create(settings: object) {
  const answer = await service.post("/relays", { destinationDomain: newHost(), ...settings })
  expect(answer.status, answer.text).toBe(201)
  return relaySchema.parse(answer.json)
}

const show = async (id: string) => relaySchema.parse((await service.get(`/relays/${id}`)).json)

describe("client certificates", () => {
  let files: ReturnType<typeof makeCertificates>
  beforeAll(() => {
    files = makeCertificates()
  })

  test("are accepted in PEM, with an encrypted key too, and only their public part is shown", async () => {
    const { certificate, privateKey, encryptedKey, fingerprint } = files
    const plain = await create({ clientCertificate: { format: "pem", certificate, privateKey } })
    expect(plain.clientCertificate).toMatchObject({
      format: "pem",
      subject: "CN=client, O=Example",
      fingerprint,
    })
    expect(plain.clientCertificate?.expiresAt).toBeGreaterThan(plain.createdAt)
    const locked = { format: "pem", certificate, privateKey: encryptedKey, password: "pass-7f3a" }
    const relay = await create({ clientCertificate: locked })
    expect(relay.clientCertificate).toEqual({ ...plain.clientCertificate })
    const { text } = await service.get("/relays?limit=100")
    expect(text).not.toContain("pass-7f3a")
    expect(text).not.toContain("PRIVATE")
  })

  test("are accepted in PKCS#12 with their password", async () => {
    const { pkcs12, fingerprint } = files
    const clientCertificate = { format: "pkcs12", content: pkcs12, password: "pass-7f3a" }
    expect((await create({ clientCertificate })).clientCertificate).toMatchObject({
      format: "pkcs12",
      fingerprint,
    })
  })

  test("can be removed and set again", async () => {
    const { certificate, privateKey } = files
    const { id } = await create({ clientCertificate: { format: "pem", certificate, privateKey } })
    const without = await service.patch(`/relays/${id}`, { clientCertificate: null })
    expect(without.json).toMatchObject({ clientCertificate: null })
    await service.patch(`/relays/${id}`, { clientCertificate: { format: "pem", certificate, privateKey } })
    expect((await show(id)).clientCertificate).toMatchObject({ format: "pem" })
    expect((await service.patch(`/relays/${id}`, { leakWatch: "alert" })).json).toMatchObject({
      clientCertificate: { format: "pem" },
    })
  })

  test.each([
    [
      "a wrong password",
      () => ({ format: "pkcs12", content: files.pkcs12, password: "wrong-7f3a" }),
      "content",
    ],
    ["no password", () => ({ format: "pkcs12", content: files.pkcs12 }), "content"],
    ["no PKCS#12", () => ({ format: "pkcs12", content: "bWFya2Vy" }), "content"],
    ["no base64", () => ({ format: "pkcs12", content: "***" }), "content"],
    [
      "another key",
      () => ({ format: "pem", certificate: files.certificate, privateKey: files.otherKey }),
      "privateKey",
    ],
    [
      "a wrong password of the key",
      () => ({
        format: "pem",
        certificate: files.certificate,
        privateKey: files.encryptedKey,
        password: "x",
      }),
      "privateKey",
    ],
    [
      "no certificate",
      () => ({ format: "pem", certificate: "x", privateKey: files.privateKey }),
      "certificate",
    ],
    [
      "a certificate that has expired",
      () => ({ format: "pem", certificate: files.expired, privateKey: files.privateKey }),
      "certificate",
    ],
  ])(
    "with %s are refused with invalid-request, and nothing of them is repeated",
    async (_what, input, member) => {
      const clientCertificate = input()
      const answer = await service.post("/relays", { destinationDomain: newHost(), clientCertificate })
      expectProblem(answer, "invalid-request")
      expect(answer.json).toMatchObject({ fields: [{ pointer: `/clientCertificate/${member}` }] })
      expect(answer.text).not.toMatch(/7f3a|BEGIN/)
    },
  )
})

/** Makes a client's certificate in every form, and what may be mistaken for one. */
function makeCertificates() {
  return withOpenSsl(({ run, read }) => {
    const newKey = (name: string) =>
      run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", name)
    newKey("key.pem")
    newKey("other.pem")
    const subject = ["-subj", "/CN=client/O=Example"]
    run("req", "-x509", "-key", "key.pem", "-out", "cert.pem", "-days", "365", ...subject)
    run("req", "-new", "-key", "key.pem", "-out", "request.pem", ...subject)
    const past = ["-days", "-1"]
    run("x509", "-req", "-in", "request.pem", "-signkey", "key.pem", ...past, "-out", "expired.pem")
    const locked = ["-passout", "pass:pass-7f3a"]
    run("pkey", "-in", "key.pem", "-aes256", ...locked, "-out", "locked.pem")
    run("pkcs12", "-export", "-in", "cert.pem", "-inkey", "key.pem", ...locked, "-out", "all.p12")
    const print = run("x509", "-in", "cert.pem", "-noout", "-fingerprint", "-sha256")
    return {
      certificate: read("cert.pem").toString(),
      privateKey: read("key.pem").toString(),
      otherKey: read("other.pem").toString(),
      encryptedKey: read("locked.pem").toString(),
      expired: read("expired.pem").toString(),
      pkcs12: read("all.p12").toString("base64"),
      fingerprint: (print.split("=")[1] ?? "").trim().replaceAll(":", "").toLowerCase(),
    }
  })
}
