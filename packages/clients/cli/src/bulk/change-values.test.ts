import fc from "fast-check"
import { expect, test } from "vitest"
import { refusal as refusalWith } from "../testing/refusal.ts"
import {
  type ChangedValues,
  changeValues as changeDocument,
  changeEachValue,
  refuseBrokenTokens,
} from "./change-values.ts"
import { literalsOf, valuesOf } from "./values-document.ts"

const refusal = (status: number, code: string, pointer?: string) =>
  refusalWith(status, code, { fields: pointer === undefined ? [] : [{ pointer, reason: "the value" }] })

type Send = (literals: readonly string[]) => Promise<readonly string[]>

/** Returns each value, or why it failed. */
const listOf = ({ values, failures }: ChangedValues) =>
  literalsOf(values).map((literal, index) => failures.get(index) ?? literal)

async function changeValues(literals: readonly string[], send: Send) {
  return listOf(
    await changeDocument(valuesOf(literals), async (values) => valuesOf(await send(literalsOf(values)))),
  )
}

/** Simulates a service that refuses a document for its first bad value, and may or may not name it. */
function serviceThatRefuses(isBad: (literal: string) => boolean, names: boolean, code = "invalid-request") {
  const sent: string[][] = []
  const send = async (literals: readonly string[]) => {
    sent.push([...literals])
    const bad = literals.findIndex(isBad)
    if (bad !== -1)
      throw refusal(code === "decrypt/forbidden" ? 403 : 400, code, names ? `/${bad}` : undefined)
    return literals.map((literal) => `done ${literal}`)
  }
  return { sent, send }
}

test("only the bad values fail, wherever they are and however the refusal names them", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }),
      fc.boolean(),
      fc.constantFrom("invalid-request", "decrypt/forbidden"),
      async (bad, names, code) => {
        const literals = bad.map((_, index) => String(index))
        const { send } = serviceThatRefuses((literal) => bad[Number(literal)] === true, names, code)
        const changed = await changeValues(literals, send)
        expect(changed.map((value) => (typeof value === "string" ? value : value.code))).toEqual(
          literals.map((literal, index) => (bad[index] === true ? code : `done ${literal}`)),
        )
      },
    ),
  ))

test("needs few requests for one bad value among many, and at most three per value when all are bad", async () => {
  const literals = Array.from({ length: 512 }, (_, index) => String(index))
  const one = serviceThatRefuses((literal) => literal === "300", true)
  await changeValues(literals, one.send)
  expect(one.sent.length).toBe(4)
  const all = serviceThatRefuses(() => true, true)
  await changeValues(literals, all.send)
  expect(all.sent.length).toBeLessThan(3 * literals.length)
  expect(all.sent.reduce((total, each) => total + each.length, 0)).toBeLessThan(12 * literals.length)
})

test("accepts a value that is permitted alone, because a budget may have room for it", async () => {
  let room = 3
  const changed = await changeValues(["a", "b", "c", "d", "e"], async (literals) => {
    if (literals.length > room) throw refusal(403, "decrypt/forbidden", "/0")
    room -= literals.length
    return literals
  })
  expect(changed.filter((value) => typeof value === "string")).toHaveLength(3)
})

test("splits a request that is too large until it fits", async () => {
  const changed = await changeValues(["aaaa", "b", "cc"], async (literals) => {
    if (literals.join("").length > 3) throw refusal(413, "payload-too-large")
    return literals
  })
  expect(changed).toEqual([{ code: "payload-too-large", reason: "refused", name: null }, "b", "cc"])
})

test.each([
  [401, "unauthorized", undefined],
  [403, "forbidden", undefined],
  [404, "not-found", undefined],
  [429, "too-many-requests", undefined],
  [400, "invalid-request", "/headers/x-service-data-role"],
  [400, "unknown", undefined],
  [500, "internal-server-error", undefined],
])("stops on a refusal that is not about values: %i %s", async (status, code, pointer) => {
  let requests = 0
  const send = async () => {
    requests++
    throw refusal(status, code, pointer)
  }
  await expect(changeValues(["1", "2"], send)).rejects.toMatchObject({ code })
  expect(requests).toBe(1)
})

test.each(["/2", "/1/0", "/x", "/-1", "", "/00"])(
  "splits in halves when a refusal names no value: %j",
  async (pointer) => {
    const changed = await changeValues(["good", "bad"], async (literals) => {
      if (literals.includes("bad")) throw refusal(400, "invalid-request", pointer)
      return literals
    })
    expect(changed).toEqual(["good", { code: "invalid-request", reason: "the value", name: null }])
  },
)

test("sends nothing when there are no values", async () => {
  const send = () => Promise.reject(new Error("sent"))
  expect(await changeValues([], send)).toEqual([])
})

test("sends one value after another, and continues after a refused one", async () => {
  const changed = await changeEachValue(valuesOf(["1", "2", "3"]), async (literal) => {
    if (literal === "2") throw refusal(400, "invalid-request", "/token")
    return `print ${literal}`
  })
  expect(listOf(changed)).toMatchObject(["print 1", { code: "invalid-request" }, "print 3"])
})

test("a value that starts like a token and came back unopened fails; other values may stay unchanged", () => {
  const sent = ['"ev:cut"', '"plain"', '"ev:whole"', "1"]
  const values = valuesOf(['"ev:cut"', '"plain"', '"ev:other"', "1"])
  expect(listOf(refuseBrokenTokens(valuesOf(sent), { values, failures: new Map() }))).toMatchObject([
    { code: "broken-token" },
    '"plain"',
    '"ev:other"',
    "1",
  ])
})
