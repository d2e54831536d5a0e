import { describe, expect, test } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()

const PATH = "/payments/acquirers"
const UNKNOWN = "acquirer_00000000000000000000000000"
const VISA = { network: "visa", bin: "400000", acquirerMerchantIdentifier: "123456", country: "ie" }
const ACQUIRER = { name: "Bank", configurations: [VISA] }

const acquirerSchema = z.strictObject({
  id: z.string().regex(/^acquirer_[0-9a-hjkmnp-tv-z]{26}$/),
  name: z.string(),
  description: z.string().optional(),
  default: z.boolean(),
  configurations: z.array(
    z.strictObject({
      network: z.string(),
      bin: z.string(),
      acquirerMerchantIdentifier: z.string(),
      country: z.string(),
      state: z.enum(["active", "pending", "failed"]),
    }),
  ),
  createdAt: z.int(),
  updatedAt: z.int().optional(),
})

async function create(settings: object, options: CallOptions = {}) {
  const answer = await service.post(PATH, { ...ACQUIRER, ...settings }, options)
  expect(answer.status, answer.text).toBe(201)
  return acquirerSchema.parse(answer.json)
}

const defaultsOf = async (options: CallOptions) => {
  const { json } = await service.get(PATH, options)
  const { data } = z.object({ data: z.array(acquirerSchema) }).parse(json)
  return data.filter((each) => each.default).map(({ id }) => id)
}

describe("POST /payments/acquirers", () => {
  test("creates an acquirer and enrols each configuration", async () => {
    const identifiers = ["123456", "1000001", "1000002", "7"]
    const networks = ["visa", "mastercard", "american-express", "discover"]
    const configurations = networks.map((network, index) => ({
      network,
      bin: `40000${index}`,
      country: "IE",
      acquirerMerchantIdentifier: identifiers[index],
    }))
    const acquirer = await create({ description: "The first", configurations })
    expect(acquirer).toMatchObject({ name: "Bank", description: "The first" })
    expect(acquirer.configurations).toEqual(
      configurations.map((each, index) => ({
        ...each,
        country: "ie",
        state: ["active", "failed", "pending", "active"][index],
      })),
    )
    expect((await service.get(`${PATH}/${acquirer.id}`)).json).toEqual(acquirer)
  })

  test.each<[string, object, string]>([
    ["no name", { name: undefined }, "/name"],
    ["a name with a line break", { name: "a\nmarker-7f3a" }, "/name"],
    ["no configurations", { configurations: undefined }, "/configurations"],
    ["an empty list of configurations", { configurations: [] }, "/configurations"],
    ["a network twice", { configurations: [VISA, VISA] }, "/configurations"],
    ["another network", { configurations: [{ ...VISA, network: "jcb" }] }, "/configurations/0/network"],
    ["a BIN of 5 digits", { configurations: [{ ...VISA, bin: "40000" }] }, "/configurations/0/bin"],
    ["a BIN of 12 digits", { configurations: [{ ...VISA, bin: "4".repeat(12) }] }, "/configurations/0/bin"],
    ["a BIN that is a number", { configurations: [{ ...VISA, bin: 400000 }] }, "/configurations/0/bin"],
    [
      "an identifier that has no space in messages of 3-D Secure",
      { configurations: [{ ...VISA, acquirerMerchantIdentifier: "1".repeat(36) }] },
      "/configurations/0/acquirerMerchantIdentifier",
    ],
    ["no country", { configurations: [{ ...VISA, country: undefined }] }, "/configurations/0/country"],
    ["a state of none", { configurations: [{ ...VISA, state: "x" }] }, "/configurations/0/state"],
    ["an unknown field", { "marker-7f3a": 1 }, ""],
  ])("refuses with invalid-request, without repeating it, %s", async (_, settings, pointer) => {
    const answer = await service.post(PATH, { ...ACQUIRER, ...settings })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer }] })
    expect(answer.text).not.toContain("marker-7f3a")
  })

  test("refuses more than 64 KB with payload-too-large", async () => {
    expectProblem(await service.post(PATH, { ...ACQUIRER, name: "a".repeat(65_536) }), "payload-too-large")
  })
})

describe("the default acquirer of an app", () => {
  test("is the first one created, then the one that is created or set as the default", async () => {
    const { auth } = await service.newApp("sandbox")
    const first = await create({ default: false }, { auth })
    const second = await create({}, { auth })
    expect([first.default, second.default]).toEqual([true, false])
    const third = await create({ default: true }, { auth })
    expect(await defaultsOf({ auth })).toEqual([third.id])
    const set = await service.patch(`${PATH}/${second.id}`, { default: true }, { auth })
    expect(set.json).toMatchObject({ default: true })
    expect(await defaultsOf({ auth })).toEqual([second.id])
  })

  test("does not exist once it is cleared or deleted, until the next one is created", async () => {
    const { auth } = await service.newApp("sandbox")
    const first = await create({}, { auth })
    await service.patch(`${PATH}/${first.id}`, { default: false }, { auth })
    expect(await defaultsOf({ auth })).toEqual([])
    const second = await create({}, { auth })
    expect(await defaultsOf({ auth })).toEqual([second.id])
    await service.delete(`${PATH}/${second.id}`, { auth })
    expect(await defaultsOf({ auth })).toEqual([])
    const third = await create({}, { auth })
    expect(await defaultsOf({ auth })).toEqual([third.id])
  })

  test("is one only, however many are created as the default at once", async () => {
    const { auth } = await service.newApp("sandbox")
    await Promise.all(Array.from({ length: 4 }, () => service.post(PATH, ACQUIRER, { auth })))
    expect(await defaultsOf({ auth })).toHaveLength(1)
  })
})

describe("PATCH /payments/acquirers/{acquirer_id}", () => {
  test("replaces a list, and keeps what an entry leaves out", async () => {
    const mastercard = { ...VISA, network: "mastercard", acquirerMerchantIdentifier: "1000001" }
    const { id, ...made } = await create({ configurations: [VISA, mastercard] })
    expect(made.configurations[1]?.state).toBe("failed")
    const discover = { ...VISA, network: "discover" }
    const answer = await service.patch(`${PATH}/${id}`, {
      description: "Other",
      configurations: [{ network: "mastercard", acquirerMerchantIdentifier: "42" }, discover],
    })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json).toMatchObject({
      ...made,
      description: "Other",
      configurations: [
        { ...mastercard, acquirerMerchantIdentifier: "42", state: "active" },
        { ...discover, state: "active" },
      ],
      updatedAt: expect.any(Number),
    })
    expect((await service.get(`${PATH}/${id}`)).json).toEqual(answer.json)
  })

  test("takes its own answer back, and ignores the state in it", async () => {
    const { id, configurations } = await create({})
    const { json: copy } = await service.post(PATH, { ...ACQUIRER, configurations })
    expect(copy).toMatchObject({ configurations })
    const failed = configurations.map((each) => ({ ...each, state: "failed" }))
    const answer = await service.patch(`${PATH}/${id}`, { configurations: failed })
    expect(answer.json).toMatchObject({ configurations })
  })

  test("refuses with invalid-request a new network that lacks fields, naming them", async () => {
    const { id } = await create({})
    const answer = await service.patch(`${PATH}/${id}`, {
      configurations: [{ network: "visa" }, { network: "discover", bin: "601100" }],
    })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({
      fields: [
        { pointer: "/configurations/1/acquirerMerchantIdentifier" },
        { pointer: "/configurations/1/country" },
      ],
    })
  })

  test.each([{}, { configurations: [] }, { id: "x" }, { name: "" }])(
    "refuses %j with invalid-request",
    async (changes) => {
      const { id } = await create({})
      expectProblem(await service.patch(`${PATH}/${id}`, changes), "invalid-request")
    },
  )
})

describe("an acquirer", () => {
  test("is gone once it is deleted, also when it was pending", async () => {
    const { id } = await create({ configurations: [{ ...VISA, acquirerMerchantIdentifier: "1000002" }] })
    expect((await service.delete(`${PATH}/${id}`)).status).toBe(204)
    expectProblem(await service.get(`${PATH}/${id}`), "not-found")
    expectProblem(await service.delete(`${PATH}/${id}`), "not-found")
  })

  test("is not found by another app, nor by a malformed id", async () => {
    const { id } = await create({})
    const { auth } = await service.newApp("sandbox")
    for (const [path, options] of [
      [`${PATH}/${id}`, { auth }],
      [`${PATH}/${UNKNOWN}`, {}],
      [`${PATH}/nonsense`, {}],
    ] as const) {
      expectProblem(await service.get(path, options), "not-found")
      expectProblem(await service.patch(path, { name: "Other" }, options), "not-found")
      expectProblem(await service.delete(path, options), "not-found")
    }
  })

  test("is refused with unauthorized without credentials", async () => {
    for (const path of [PATH, `${PATH}/${UNKNOWN}`]) {
      expectProblem(await service.get(path, { auth: null }), "unauthorized")
    }
    expectProblem(await service.post(PATH, ACQUIRER, { auth: null }), "unauthorized")
  })

  test("is refused with service-unavailable for a production app without a connector", async () => {
    expectProblem(
      await service.post(PATH, ACQUIRER, { auth: service.production.auth }),
      "service-unavailable",
    )
  })
})
