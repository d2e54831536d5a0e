import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { bindRequest } from "@sealway/enclave/request"
import { createSimulatedNitro, pcrsOf } from "@sealway/enclave/testing"
import { createId } from "@sealway/kernel"
import { appPartition } from "@sealway/ports"
import { compactDecrypt } from "jose"
import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, type Identity, useService } from "../support/service.ts"

const IMAGE = pcrsOf(1)
const PCR0 = "01".repeat(48)
const SIGNER = "77".repeat(48)
const nitro = await createSimulatedNitro(Date.now, IMAGE)
const service = useService("container", { enclaveRoot: nitro.rootFingerprint })

const EC = generateKeyPairSync("ec", { namedCurve: "P-384" })
const RSA = generateKeyPairSync("rsa", { modulusLength: 2_048 })
const spki = (key: KeyObject) => key.export({ format: "der", type: "spki" })

/** An RSA key with other numbers. */
const rsaKey = (numbers: { readonly n?: string; readonly e?: string }) =>
  spki(createPublicKey({ key: { ...RSA.publicKey.export({ format: "jwk" }), ...numbers }, format: "jwk" }))
const EVEN = Buffer.alloc(256, 0xfe).toString("base64url")
/** SubjectPublicKeyInfo of the point at infinity. */
const INFINITY_P384 = Buffer.from("3016301006072a8648ce3d020106052b8104002203020000", "hex")

interface Attested {
  readonly publicKey?: Uint8Array | null
  readonly userData?: Uint8Array | null
  readonly fields?: Readonly<Record<string, unknown>>
}

/** The body of a request that an enclave attests. */
function attestedBody(appId: string, data: unknown, { publicKey, userData, fields }: Attested = {}) {
  const text = JSON.stringify(data)
  const attestation = nitro.attest(
    {
      publicKey: publicKey === undefined ? spki(EC.publicKey) : publicKey,
      userData: userData === undefined ? bindRequest(appId, Buffer.from(text)) : userData,
    },
    fields,
  )
  return `{"attestation":"${attestation.toString("base64")}","data":${text}}`
}

const byKey = (): CallOptions => ({})
const byAttestation = (appId: string): CallOptions => ({ auth: null, headers: { "x-service-app-id": appId } })
const decrypt = (body: unknown, options: CallOptions) => service.post("/enclaves/decrypt", body, options)

const sealedSchema = z.object({ sealed: z.string() })

async function open(answer: { readonly json: unknown }, key: KeyObject = EC.privateKey): Promise<unknown> {
  const { sealed } = sealedSchema.parse(answer.json)
  return JSON.parse(Buffer.from((await compactDecrypt(sealed, key)).plaintext).toString())
}

async function seal(value: unknown, role: string | null = null): Promise<unknown> {
  const headers = role === null ? {} : { "x-service-data-role": role }
  return (await service.post("/encrypt", JSON.stringify(value), { headers })).json
}

async function permit(role: string, conditions: object): Promise<void> {
  await service.newRole(service.sandbox.app, role)
  const policy = { name: role, effect: "permit", roles: [role], conditions }
  expect((await service.post("/data-policies", policy)).status).toBe(201)
}

/** The app whose image is registered. */
let app: Identity["app"]
let pci: unknown
let plain: unknown

beforeAll(async () => {
  app = service.sandbox.app
  await permit("pci", { sources: ["enclave"], enclavePcrs: { pcr0: PCR0 } })
  pci = await seal("4000000000000002", "pci")
  plain = await seal(42)
  const registered = await service.post("/enclaves", { name: "Checkout 1.0", pcrs: { pcr0: PCR0 } })
  expect(registered.status).toBe(201)
})

describe("an attested enclave", () => {
  test("reads values that a policy permits its image, and nobody else can read the answer", async () => {
    const answer = await decrypt(attestedBody(app.id, { card: pci, n: 1.5e3 }), byKey())
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain("4000000000000002")
    expect(await open(answer)).toEqual({ card: "4000000000000002", n: 1500 })
    const other = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey
    await expect(open(answer, other)).rejects.toMatchObject({ code: "ERR_JWE_DECRYPTION_FAILED" })
  })

  test("may attest an RSA key", async () => {
    const answer = await decrypt(attestedBody(app.id, plain, { publicKey: spki(RSA.publicKey) }), byKey())
    expect(await open(answer, RSA.privateKey)).toBe(42)
  })

  test("needs no API key for an image that its app has registered, except for values without a role", async () => {
    const answer = await decrypt(attestedBody(app.id, { card: pci }), byAttestation(app.id))
    expect(await open(answer)).toEqual({ card: "4000000000000002" })
    const refused = await decrypt(attestedBody(app.id, { card: pci, n: plain }), byAttestation(app.id))
    expectProblem(refused, "decrypt/forbidden")
    expect(refused.json).toMatchObject({ fields: [{ pointer: "/data/n" }] })
  })

  test("is let in by the signer of its image, once that is registered", async () => {
    const pcrs = { pcrs: new Map([...pcrsOf(9), [8, Buffer.from(SIGNER, "hex")]]) }
    const body = () => attestedBody(app.id, { a: 1 }, { fields: pcrs })
    expectProblem(await decrypt(body(), byAttestation(app.id)), "unauthorized")
    const { json } = await service.post("/enclaves", { name: "All", pcrs: { pcr8: SIGNER } })
    expect(await open(await decrypt(body(), byAttestation(app.id)))).toEqual({ a: 1 })
    const { id } = z.object({ id: z.string() }).parse(json)
    expect((await service.delete(`/enclaves/${id}`)).status).toBe(204)
    expectProblem(await decrypt(body(), byAttestation(app.id)), "unauthorized")
  })

  test("is refused values that are for another image, or for no enclave", async () => {
    await permit("others", { sources: ["enclave"], enclavePcrs: { pcr0: "02".repeat(48) } })
    await permit("everywhere", {})
    for (const role of ["others", "everywhere"]) {
      const body = attestedBody(app.id, [await seal("x", role)])
      expectProblem(await decrypt(body, byKey()), "decrypt/forbidden")
    }
    // The same value is permitted to an API key alone.
    expect((await service.post("/decrypt", JSON.stringify(await seal("x", "everywhere")))).json).toBe("x")
  })

  test("reads masks where a policy permits its image no more", async () => {
    const role = { slug: "masked", name: "Masked", mask: { type: "last", count: 4 } }
    expect((await service.post("/data-roles", role)).status).toBe(201)
    const conditions = { sources: ["enclave"], enclavePcrs: { pcr0: PCR0 } }
    const policy = { name: "M", effect: "permit", reveal: "masked", roles: ["masked"], conditions }
    expect((await service.post("/data-policies", policy)).status).toBe(201)
    const document = { masked: await seal("4000000000000002", "masked"), card: pci }
    expect(await open(await decrypt(attestedBody(app.id, document), byKey()))).toEqual({
      masked: "•••0002",
      card: "4000000000000002",
    })
    const full = { headers: { "x-service-reveal": "full" } }
    expectProblem(await decrypt(attestedBody(app.id, document), full), "decrypt/masked-only")
  })

  test("is refused honey tokens, of a role that a policy permits it too", async () => {
    for (const role of ["pci", null]) {
      const created = await service.post("/honey-tokens", { name: "Trap", shape: "card-number", role })
      const { token } = z.object({ token: z.string() }).parse(created.json)
      expectProblem(await decrypt(attestedBody(app.id, [token]), byKey()), "decrypt/forbidden")
    }
  })

  test("is named by the access log and, when it is refused, by the audit log", async () => {
    const enclave = { moduleId: "i-0123456789abcdef0-enc0123456789abcdef", pcr0: PCR0 }
    await service.service.platform.accessLog.flush()
    const { json } = await service.get("/access-logs?limit=100")
    const records = z
      .object({ data: z.array(z.looseObject({ actor: z.looseObject({ type: z.string() }) })) })
      .parse(json)
    const attested = records.data.find(({ actor }) => actor.type === "enclave")
    expect(attested).toMatchObject({ source: "enclave", apiKeyId: null, roles: { pci: 1 }, enclave })
    expect(attested?.actor).toEqual({ type: "enclave", id: expect.stringMatching(/^enclave_/) })
    const audit = await service.get("/audit-logs?limit=100", { auth: service.team.auth })
    expect(JSON.stringify(audit.json)).toContain('"reason":"no-role"')
    expect(audit.json).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({
          action: "decryption.refused",
          details: expect.objectContaining({ source: "enclave", enclave: enclave.moduleId, pcr0: PCR0 }),
        }),
      ]),
    })
  })
})

describe("an attestation", () => {
  const bound = (data: unknown) => bindRequest(app.id, Buffer.from(JSON.stringify(data)))

  test("serves one request", async () => {
    const body = attestedBody(app.id, { a: 1 })
    const nowSeconds = Date.now() / 1_000
    expect((await decrypt(body, byKey())).status).toBe(200)
    // It is remembered until it is too old, and not for ever.
    const used = await service.service.platform.eventsTable.list(`attestation#${app.id}`, "")
    for (const { expiresAt } of used) {
      expect(expiresAt).toBeGreaterThan(nowSeconds)
      expect(expiresAt).toBeLessThan(nowSeconds + 3_600)
    }
    expectProblem(await decrypt(body, byKey()), "unauthorized")
    expectProblem(await decrypt(body, byAttestation(app.id)), "unauthorized")
  })

  test("serves one request of several at the same time", async () => {
    const body = attestedBody(app.id, { a: 2 })
    const answers = await Promise.all([1, 2, 3].map(() => decrypt(body, byKey())))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  })

  test.each<[string, () => string]>([
    ["for other data", () => attestedBody(app.id, { a: 1 }).replace('"data":{"a":1}', '"data":{"a":2}')],
    [
      "for data that is spelled differently",
      () => attestedBody(app.id, { a: 1 }).replace('{"a":1}', '{"a": 1}'),
    ],
    ["for another app", () => attestedBody(service.production.app.id, { a: 1 })],
    ["for no request", () => attestedBody(app.id, { a: 1 }, { userData: null })],
    ["for another purpose", () => attestedBody(app.id, 1, { userData: bound(1).subarray(18) })],
    ["that is too old", () => attestedBody(app.id, 1, { fields: { timestamp: Date.now() - 301_000 } })],
    ["of debug mode", () => attestedBody(app.id, 1, { fields: { pcrs: pcrsOf(-1) } })],
    ["without a key", () => attestedBody(app.id, 1, { publicKey: null })],
    ["with a key that is none", () => attestedBody(app.id, 1, { publicKey: Buffer.from("dummy") })],
    [
      "with a key on another curve",
      () =>
        attestedBody(app.id, 1, {
          publicKey: spki(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey),
        }),
    ],
    [
      "with a short RSA key",
      () =>
        attestedBody(app.id, 1, {
          publicKey: spki(generateKeyPairSync("rsa", { modulusLength: 1_024 }).publicKey),
        }),
    ],
    [
      "with an RSA key of another exponent",
      () => attestedBody(app.id, 1, { publicKey: rsaKey({ e: "AQ" }) }),
    ],
    [
      "with an RSA key that cannot encrypt",
      () => attestedBody(app.id, 1, { publicKey: rsaKey({ n: EVEN }) }),
    ],
    ["with a key without coordinates", () => attestedBody(app.id, 1, { publicKey: INFINITY_P384 })],
    ["that is empty", () => '{"attestation":"","data":1}'],
    ["that is no document", () => `{"attestation":"${Buffer.from("text").toString("base64")}","data":1}`],
  ])("%s is refused with 401, like any other, whatever comes with it", async (_name, body) => {
    const [keyed, attested] = [await decrypt(body(), byKey()), await decrypt(body(), byAttestation(app.id))]
    expectProblem(keyed, "unauthorized")
    expect(attested.json).toEqual(keyed.json)
    expect(keyed.text).toContain("The attestation is not valid for this request.")
  })

  test("is refused without an API key when its image is not registered, or for another app", async () => {
    const unknown = attestedBody(app.id, 1, { fields: { pcrs: pcrsOf(5) } })
    expectProblem(await decrypt(unknown, byAttestation(app.id)), "unauthorized")
    const { id } = service.production.app
    expectProblem(await decrypt(attestedBody(id, 1), byAttestation(id)), "unauthorized")
    expectProblem(await decrypt(attestedBody("app_1", 1), byAttestation("app_1")), "unauthorized")
  })

  test("does not make up for an API key that may not decrypt, or a wrong one", async () => {
    const auth = await service.newKey(app, ["api:fingerprint"])
    expectProblem(await decrypt(attestedBody(app.id, 1), { auth }), "forbidden")
    const wrong = { auth: { user: app.id, key: "wrong" }, headers: { "x-service-app-id": app.id } }
    expectProblem(await decrypt(attestedBody(app.id, 1), wrong), "unauthorized")
    expectProblem(await decrypt(attestedBody(app.id, 1), { auth: null }), "unauthorized")
  })

  test.each<[string, string, string]>([
    ["no JSON", "{", ""],
    ["no object", "[]", ""],
    ["no attestation", '{"data":1}', "/attestation"],
    ["no data", '{"attestation":""}', "/data"],
    ["an attestation that is no text", '{"attestation":1,"data":1}', "/attestation"],
    ["an attestation that is not base64", '{"attestation":"a-b=","data":1}', "/attestation"],
    ["an attestation that is too large", `{"attestation":"${"A".repeat(16_388)}","data":1}`, "/attestation"],
    ["an unknown field", '{"attestation":"","data":1,"more":1}', ""],
    ["a field twice", '{"attestation":"","data":1,"data":2}', ""],
  ])("in a body with %s is refused with invalid-request", async (_name, body, pointer) => {
    const answer = await decrypt(body, byKey())
    expectProblem(answer, "invalid-request")
    if (pointer !== "") expect(answer.json).toMatchObject({ fields: [{ pointer }] })
  })

  test("beside more than 4 MB of data is refused with payload-too-large", async () => {
    const data = "x".repeat(4 * 1024 * 1024)
    expectProblem(await decrypt({ attestation: "", data }, byKey()), "payload-too-large")
    // With its quotes, this has 4 MB: only the attestation is wrong.
    expectProblem(await decrypt({ attestation: "", data: data.slice(2) }, byKey()), "unauthorized")
  })

  /** A token of another app. */
  const foreign = async () => (await service.post("/encrypt", '"x"', { auth: service.production.auth })).json

  test("with a value that does not open tells its place", async () => {
    const answer = await decrypt(attestedBody(app.id, { a: [await foreign()] }), byKey())
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/data/a/0" }] })
  })
})

describe("a registration", () => {
  const create = (body: unknown, options: CallOptions = {}) => service.post("/enclaves", body, options)

  test("is created, listed, shown and deleted, and is the app's own", async () => {
    const input = { name: "Ledger", pcrs: { pcr0: "0A".repeat(48), pcr2: "bb".repeat(48) } }
    const created = await create(input)
    expect(created.json).toMatchObject({ ...input, id: expect.stringMatching(/^enclave_/) })
    const { id } = z.object({ id: z.string() }).parse(created.json)
    expect((await service.get(`/enclaves/${id}`)).json).toEqual(created.json)
    expect((await service.get("/enclaves?limit=1")).json).toEqual({ data: [created.json], hasMore: true })
    const { auth } = service.production
    expectProblem(await service.get(`/enclaves/${id}`, { auth }), "not-found")
    expectProblem(await service.delete(`/enclaves/${id}`, { auth }), "not-found")
    expect((await service.delete(`/enclaves/${id}`)).status).toBe(204)
    expectProblem(await service.delete(`/enclaves/${id}`), "not-found")
  })

  test("is created once by a repeated request", async () => {
    const input = { name: "Once", pcrs: { pcr0: "0c".repeat(48) } }
    const headers = { "idempotency-key": "once" }
    const [first, second] = [await create(input, { headers }), await create(input, { headers })]
    expect(second.json).toEqual(first.json)
  })

  test.each<[string, unknown, string]>([
    ["no name", { pcrs: { pcr0: PCR0 } }, "/name"],
    ["no PCRs", { name: "A", pcrs: {} }, "/pcrs"],
    ["PCRs that many images share", { name: "A", pcrs: { pcr1: PCR0, pcr2: PCR0 } }, "/pcrs"],
    ["PCRs of zeros", { name: "A", pcrs: { pcr0: "0".repeat(96) } }, "/pcrs"],
    ["a short PCR", { name: "A", pcrs: { pcr0: "00" } }, "/pcrs/pcr0"],
    ["an unknown PCR", { name: "A", pcrs: { pcr0: PCR0, pcr3: PCR0 } }, "/pcrs"],
  ])("with %s is refused with invalid-request", async (_name, body, pointer) => {
    const answer = await create(body)
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer }] })
  })

  test("needs the scope for it", async () => {
    const auth = await service.newKey(app, ["enclave:read", "api:decrypt"])
    expectProblem(await create({ name: "A", pcrs: { pcr0: PCR0 } }, { auth }), "forbidden")
    expect((await service.get("/enclaves", { auth })).status).toBe(200)
  })

  test("is one of at most 100 of an app", async () => {
    const { app, auth } = await service.newApp("sandbox", ["enclave:write"])
    const { configTable } = service.service.platform
    for (let index = 1; index < 100; index++) {
      const id = createId("enclave", index)
      const record = { id, name: "A", pcrs: { pcr0: PCR0 }, createdAt: index, revision: 1 }
      await configTable.create({ pk: appPartition(app.id), sk: `enclave#${id}` }, record)
    }
    expect((await create({ name: "A", pcrs: { pcr0: PCR0 } }, { auth })).status).toBe(201)
    expectProblem(await create({ name: "A", pcrs: { pcr0: PCR0 } }, { auth }), "conflict")
    // What was refused at once was not begun.
    const audit = await service.get("/audit-logs?action=enclave.create.failed", { auth: service.team.auth })
    expect(audit.json).toMatchObject({ data: [] })
  })
})

describe("a policy", () => {
  test("that permits enclaves without naming an image is refused when it is saved", async () => {
    await service.newRole(app, "unsaid")
    for (const enclavePcrs of [undefined, { pcr1: PCR0 }, { pcr2: PCR0 }]) {
      for (const sources of enclavePcrs === undefined ? [["enclave"]] : [["enclave"], undefined]) {
        const conditions = { sources, enclavePcrs }
        const policy = { name: "A", effect: "permit", roles: ["unsaid"], conditions }
        const answer = await service.post("/data-policies", policy)
        expectProblem(answer, "invalid-request")
        expect(answer.json).toMatchObject({ fields: [{ pointer: "/conditions/enclavePcrs" }] })
      }
    }
    const forbid = { name: "A", effect: "forbid", roles: ["unsaid"], conditions: { sources: ["enclave"] } }
    expect((await service.post("/data-policies", forbid)).status).toBe(201)
  })

  test("that permits everything is explained not to hold for an enclave", async () => {
    const explained = await service.post("/data-policies/explain", {
      role: "everywhere",
      context: { source: "enclave", enclavePcrs: { pcr0: PCR0 } },
    })
    expect(explained.json).toMatchObject({
      decision: "deny",
      policies: [{ matched: false, failedConditions: ["enclavePcrs"] }],
    })
  })
})
