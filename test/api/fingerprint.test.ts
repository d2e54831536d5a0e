import { beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()
const encryptOne = async (json: string, options = {}) =>
  String((await service.post("/encrypt", json, options)).json)
const fingerprint = (token: unknown, options = {}) => service.post("/fingerprint", { token }, options)

beforeAll(() => service.newRole(service.sandbox.app, "pci"))

describe("POST /fingerprint", () => {
  test.each([
    ['"text"', "string"],
    ["7", "integer"],
    ["-12345678901234567890", "integer"],
    ["1.5", "float"],
    ["1e3", "float"],
    ["false", "boolean"],
  ])("returns for %s the type %s, and nothing more", async (json, type) => {
    const answer = await fingerprint(await encryptOne(json))
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ type, fingerprint: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) })
  })

  test("is the same for the same value with and without a role, and returns the role and the time", async () => {
    const before = Math.floor(Date.now() / 1000) * 1000
    const plain = await fingerprint(await encryptOne('"x"'))
    const held = await fingerprint(await encryptOne('"x"', { headers: { "x-service-data-role": "pci" } }))
    expect(held.json).toEqual({ ...(plain.json as object), role: "pci", encryptedAt: expect.any(Number) })
    const { encryptedAt } = held.json as { encryptedAt: number }
    expect(encryptedAt).toBeGreaterThanOrEqual(before)
    expect(encryptedAt).toBeLessThanOrEqual(Date.now())
  })

  test("differs between values, types and apps", async () => {
    const prints = await Promise.all(
      ['"1"', "1", '"true"', "true", '"x"'].map(
        async (json) => (await fingerprint(await encryptOne(json))).json,
      ),
    )
    const { auth } = service.production
    const elsewhere = await fingerprint(await encryptOne('"x"', { auth }), { auth })
    const all = [...prints, elsewhere.json].map((json) => (json as { fingerprint: string }).fingerprint)
    expect(new Set(all).size).toBe(all.length)
  })

  test("returns for a card number what the team's BIN table knows of the digits that may be shown, and no more", async () => {
    const metadataOf = async (number: string) =>
      ((await fingerprint(await encryptOne(JSON.stringify(number)))).json as { metadata: object }).metadata
    const known = { brand: "visa", funding: "credit", segment: "consumer", currency: "eur" }
    expect(await metadataOf("4000002500000003")).toEqual({
      ...known,
      bin: "400000",
      lastFour: "0003",
      country: "fr",
      issuer: "Test Bank",
    })
    expect(await metadataOf("4999990000000007")).toEqual({ brand: "visa", bin: "499999", lastFour: "0007" })
  })

  test("returns nothing of published test ranges in a production app", async () => {
    const { auth } = service.production
    const { json } = await fingerprint(await encryptOne('"4000002500001001"', { auth }), { auth })
    expect(json).toMatchObject({ metadata: { brand: "visa", bin: "400000", lastFour: "1001" } })
    expect(Object.keys((json as { metadata: object }).metadata).sort()).toEqual(["bin", "brand", "lastFour"])
  })

  test.each([
    ['"4242424242424242"', "visa", "424242", "4242"],
    ['"4242 4242-4242 4242"', "visa", "424242", "4242"],
    ["4242424242424242", "visa", "424242", "4242"],
    ['"5555555555554444"', "mastercard", "555555", "4444"],
    ['"2223003122003222"', "mastercard", "222300", "3222"],
    ['"378282246310005"', "american-express", "378282", "0005"],
    ['"6011111111111117"', "discover", "601111", "1117"],
    ['"3056930009020004"', "diners-club", "305693", "0004"],
    ['"3566002020360505"', "jcb", "356600", "0505"],
    ['"6200000000000005"', "unionpay", "620000", "0005"],
  ])("returns %s for a card number of %s", async (json, brand, bin, lastFour) => {
    const answer = await fingerprint(await encryptOne(json))
    expect(answer.json).toMatchObject({ category: "card-number", metadata: { brand, bin, lastFour } })
  })

  test.each([
    '"4242424242424241"',
    '"42424242424"',
    '"9999999999999995"',
    '"x4242424242424242"',
    '"42424242424242424242"',
  ])("does not regard %s as a card number", async (json) => {
    const { json: told } = await fingerprint(await encryptOne(json))
    expect(told).not.toHaveProperty("category")
    expect(told).not.toHaveProperty("metadata")
  })

  test("refuses anything but the app's tokens with invalid-request", async () => {
    const other = await encryptOne('"x"', { auth: service.production.auth })
    for (const token of ["", "plain", "ev:", `${other.slice(0, -2)}`, other]) {
      const answer = await fingerprint(token)
      expectProblem(answer, "invalid-request")
      expect(answer.json).toMatchObject({ fields: [{ pointer: "/token" }] })
    }
  })

  test.each([
    ["{}", "/token"],
    ['{"token":7}', "/token"],
    ['{"token":"x","extra":1}', ""],
    ['["x"]', ""],
    ["null", ""],
  ])("refuses %s with invalid-request at %j", async (body, pointer) => {
    const answer = await service.post("/fingerprint", body)
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer }] })
  })

  test("refuses duplicate names", async () => {
    expectProblem(await service.post("/fingerprint", '{"token":"a","token":"b"}'), "invalid-request")
  })

  test("requires api:fingerprint, and /inspect api:inspect", async () => {
    const token = await encryptOne('"x"')
    const fingerprinter = await service.newKey(service.sandbox.app, ["api:fingerprint"])
    const inspector = await service.newKey(service.sandbox.app, ["api:inspect"])
    const inspect = (auth: typeof inspector) => service.post("/inspect", { token }, { auth })
    expectProblem(await fingerprint(token, { auth: inspector }), "forbidden")
    expectProblem(await inspect(fingerprinter), "forbidden")
    const answer = await inspect(inspector)
    expect(answer.json).toEqual((await fingerprint(token, { auth: fingerprinter })).json)
  })
})
