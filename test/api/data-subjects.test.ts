import { dataSubjectRecords } from "@sealway/keys"
import { sweepErasures } from "@sealway/subjects"
import { deleteDataSubject, restoreDataSubject } from "@sealway/subjects/testing"
import { decodeSubjectId, isOfSubject, parseToken, subjectIdOf } from "@sealway/tokens"
import { nodeSealing } from "@sealway/tokens/clients/node"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, type Identity, useService } from "../support/service.ts"

const service = useService()

const DAY_MS = 86_400_000
const subjectSchema = z.object({
  id: z.string(),
  status: z.string(),
  createdAt: z.number(),
  requestedAt: z.number().nullable(),
  eraseAt: z.number().nullable(),
  erasedAt: z.number().nullable(),
})
const listSchema = z.object({ data: z.array(subjectSchema), hasMore: z.boolean() })

let people = 0
const newPerson = () => `person-${++people}`

async function seal(person: string, value: unknown = "Ada", options: CallOptions = {}): Promise<string> {
  const headers = { ...options.headers, "x-service-data-subject": person }
  const answer = await service.post("/encrypt", JSON.stringify(value), { ...options, headers })
  expect(answer.status, answer.text).toBe(200)
  return z.string().parse(answer.json)
}

const keySchema = z.object({ id: z.string(), app: z.string(), publicKey: z.string(), isSandbox: z.boolean() })

const keyOf = (person: string, options: CallOptions = {}) =>
  service.post("/data-subjects/key", undefined, {
    ...options,
    headers: { ...options.headers, "x-service-data-subject": person },
  })

/** Seals as clients do: to the public key of the data subject. */
async function sealAsClient(person: string, value = "Ada", options: CallOptions = {}): Promise<string> {
  const answer = await keyOf(person, options)
  expect(answer.status, answer.text).toBe(200)
  const { id, publicKey, isSandbox } = keySchema.parse(answer.json)
  const keys = await nodeSealing.keysFor({
    appPublicKey: Buffer.from(publicKey, "base64"),
    subjectId: decodeSubjectId(id),
    debug: isSandbox,
    now: () => 0,
  })
  const key = await keys.current()
  const [token = ""] = await key.sealAll([{ type: "string", text: value }], { role: null, encryptedAt: 1 })
  return token
}

/** Both ways in which values are sealed for a data subject. */
const WAYS = [
  ["c3cy", seal],
  ["c3cz", sealAsClient],
] as const

function idIn(text: string): string {
  const token = parseToken(text)
  if (token === null || !isOfSubject(token)) throw new Error("Not a token of a data subject")
  return subjectIdOf(token)
}

const open = async (token: unknown, options: CallOptions = {}) => {
  const { status, json } = await service.post("/decrypt", JSON.stringify(token), options)
  return status === 200 ? json : z.object({ code: z.string() }).parse(json).code
}
const remove = async (id: string, options: CallOptions = {}) =>
  subjectSchema.parse((await service.delete(`/data-subjects/${id}`, options)).json)
const restore = (id: string, options: CallOptions = {}) =>
  service.post(`/data-subjects/${id}/restore`, undefined, options)
const find = async (person: string, options: CallOptions = {}) => {
  const headers = { "x-service-data-subject": person }
  return listSchema.parse((await service.get("/data-subjects", { ...options, headers })).json).data
}

/** An app whose erasures can be undone for a day. */
async function windowedApp(): Promise<Identity> {
  const app = await service.newApp("sandbox")
  const answer = await service.patch(`/apps/${app.app.id}`, { erasureDays: 1 }, { auth: service.team.auth })
  expect(answer.json).toMatchObject({ erasureDays: 1 })
  return app
}

/** Does what the sweeper does, at a later time. */
function sweep(laterMs: number): Promise<number> {
  const { platform } = service.service
  return sweepErasures({ ...platform, wallClock: () => platform.wallClock() + laterMs })
}

describe("POST /encrypt with X-Service-Data-Subject", () => {
  test("seals values under the key of a data subject, with their role, and they decrypt as any other", async () => {
    await service.newRole(service.sandbox.app, "subject-pii")
    const person = newPerson()
    const options = { headers: { "x-service-data-role": "subject-pii", "x-service-data-subject": person } }
    const { json } = await service.post("/encrypt", '{"name":"Ada","age":36,"ok":true,"no":null}', options)
    const tokens = z.object({ name: z.string(), age: z.string(), ok: z.string() }).parse(json)
    for (const token of Object.values(tokens)) expect(idIn(token)).toBe(idIn(tokens.name))
    expect(tokens.age).toMatch(/^ev:debug:c3cy:number:/)
    const fingerprinted = await service.post("/fingerprint", { token: tokens.name })
    expect(fingerprinted.json).toMatchObject({ role: "subject-pii", type: "string" })
    const plain = await seal(newPerson(), "Ada")
    expect((await service.post("/fingerprint", { token: plain })).json).toMatchObject({
      fingerprint: z.object({ fingerprint: z.string() }).parse(fingerprinted.json).fingerprint,
    })
    expect(await open(await seal(person, 36))).toBe(36)
  })

  test.each([
    ["empty", ""],
    ["with a space", "ada lovelace"],
    ["sent twice", "ada,bob"],
    ["of 129 characters", "a".repeat(129)],
    ["not in ASCII", "ad\u00e4"],
  ])("refuses an id that is %s", async (_, person) => {
    const answer = await service.post("/encrypt", '"x"', { headers: { "x-service-data-subject": person } })
    expectProblem(answer, "invalid-request")
    expect(answer.text).toContain("/headers/x-service-data-subject")
  })

  test("accepts an id of 128 characters, and of any printable ones but the comma", async () => {
    const ids = ["~".repeat(128), "!\"#$%&'()*+-./:;<=>?@[]^_`{|}"]
    for (const id of ids) expect(await open(await seal(id))).toBe("Ada")
  })

  test("refuses a file", async () => {
    const headers = { "x-service-data-subject": newPerson() }
    const contentType = "application/octet-stream"
    expectProblem(
      await service.post("/encrypt", Buffer.from("x"), { headers, contentType }),
      "invalid-request",
    )
  })
})

describe("POST /data-subjects/key", () => {
  test("gives the public key of a data subject, the same each time, and creates one that is missing", async () => {
    const person = newPerson()
    const first = await keyOf(person)
    const key = keySchema.parse(first.json)
    expect(key).toMatchObject({ app: service.sandbox.app.id, isSandbox: true })
    expect(Buffer.from(key.publicKey, "base64").length).toBe(65)
    expect((await keyOf(person)).json).toEqual(key)
    expect(idIn(await seal(person))).toBe(key.id)
    expect((await find(person)).map(({ id }) => id)).toEqual([key.id])
    const other = await keyOf(person, { auth: service.production.auth })
    expect(other.json).toMatchObject({ isSandbox: false, app: service.production.app.id })
    expect(keySchema.parse(other.json).publicKey).not.toBe(key.publicKey)
  })

  test.each([
    ["missing", {}],
    ["empty", { "x-service-data-subject": "" }],
    ["of 129 characters", { "x-service-data-subject": "a".repeat(129) }],
  ])("refuses an id that is %s with invalid-request", async (_, headers: Record<string, string>) => {
    expectProblem(await service.post("/data-subjects/key", undefined, { headers }), "invalid-request")
  })

  test("refuses callers without an API key, and pages with a token of their own", async () => {
    expectProblem(await keyOf("ada", { auth: null }), "unauthorized")
    const issued = await service.post("/client-side-tokens", { action: "api:decrypt", payload: {} })
    const { token } = z.object({ token: z.string() }).parse(issued.json)
    expectProblem(
      await keyOf("ada", { auth: null, headers: { authorization: `Token ${token}` } }),
      "unauthorized",
    )
  })

  test("gives no key of one that is going to be erased, and a new one when it is erased", async () => {
    const { auth } = await windowedApp()
    const token = await sealAsClient("eve", "Eve", { auth })
    expect(await open(token, { auth })).toBe("Eve")
    await remove(idIn(token), { auth })
    expectProblem(await keyOf("eve", { auth }), "conflict")
    expect(await open(token, { auth })).toBe("data-subject/erased")
    expect((await restore(idIn(token), { auth })).status).toBe(200)
    expect(await open(token, { auth })).toBe("Eve")
    const person = newPerson()
    const old = await sealAsClient(person)
    await remove(idIn(old))
    expect(keySchema.parse((await keyOf(person)).json).id).not.toBe(idIn(old))
  })
})

describe("a data subject", () => {
  test("is found by the caller's id or its own, and listed, without revealing the caller's id", async () => {
    const app = await service.newApp("sandbox")
    const { auth } = app
    const ids = [
      idIn(await seal("ada", "x", { auth })),
      idIn(await seal("bob", "x", { auth })),
      idIn(await seal("cyd", "x", { auth })),
    ]
    expect(await find("ada", { auth })).toMatchObject([{ id: ids[0], status: "active" }])
    expect(await find("eve", { auth })).toEqual([])
    const first = listSchema.parse((await service.get("/data-subjects?limit=2", { auth })).json)
    expect([first.data.length, first.hasMore]).toEqual([2, true])
    const next = `/data-subjects?limit=2&startingAfter=${first.data[1]?.id}`
    const second = await service.get(next, { auth })
    const rest = listSchema.parse(second.json)
    expect([rest.data.length, rest.hasMore]).toEqual([1, false])
    expect([...first.data, ...rest.data].map(({ id }) => id).sort()).toEqual(ids.sort())
    expect(second.text).not.toContain("cyd")
    expect((await service.get(`/data-subjects/${ids[0]}`, { auth })).json).toMatchObject({ status: "active" })
  })

  test.each(WAYS)(
    "is that of one app: another app finds, erases and opens nothing (%s)",
    async (_version, sealBy) => {
      const { auth } = await service.newApp("sandbox")
      const token = await sealBy("ada")
      const id = idIn(token)
      expect(await open(token, { auth })).toBe("invalid-request")
      expect(await find("ada", { auth })).toEqual([])
      expectProblem(await service.get(`/data-subjects/${id}`, { auth }), "not-found")
      expectProblem(await service.delete(`/data-subjects/${id}`, { auth }), "not-found")
      expectProblem(await restore(id, { auth }), "not-found")
      expect(await open(token)).toBe("Ada")
    },
  )

  test("is not erased by a key that may only read, nor without a key", async () => {
    const id = idIn(await seal(newPerson()))
    const reader = { auth: await service.newKey(service.sandbox.app, ["dataSubject:read"]) }
    expect((await service.get(`/data-subjects/${id}`, reader)).status).toBe(200)
    expectProblem(await service.delete(`/data-subjects/${id}`, reader), "forbidden")
    expectProblem(await restore(id, reader), "forbidden")
    for (const method of ["GET", "DELETE"]) {
      expectProblem(
        await service.call(method, `/data-subjects/${id}`, undefined, { auth: null }),
        "unauthorized",
      )
    }
  })

  test("does not exist when its id is unknown, and is refused when its id is malformed", async () => {
    const unknown = `data_subject_${"0".repeat(32)}`
    for (const [id, code] of [
      [unknown, "not-found"],
      ["ada", "not-found"],
      [`${unknown}${"0".repeat(40)}`, "invalid-request"],
    ] as const) {
      expectProblem(await service.get(`/data-subjects/${id}`), code)
      expectProblem(await service.delete(`/data-subjects/${id}`), code)
      expectProblem(await restore(id), code)
    }
  })
})

describe("an erasure", () => {
  test.each(WAYS)(
    "of an app without undo window is complete with the answer: no %s token of the data subject opens in any way",
    async (_version, sealBy) => {
      const person = newPerson()
      const token = await sealBy(person)
      const other = await seal(newPerson())
      expect(await open(token)).toBe("Ada")
      const erased = await remove(idIn(token))
      expect(erased).toMatchObject({
        status: "erased",
        requestedAt: expect.any(Number),
        erasedAt: expect.any(Number),
      })
      const answers = [
        await service.post("/decrypt", { a: { b: [other, token] } }),
        await service.post("/fingerprint", { token }),
        await service.post("/inspect", { token }),
        await service.post("/rewrap", [token]),
      ]
      for (const answer of answers) expectProblem(answer, "data-subject/erased")
      expect(answers[0]?.json).toMatchObject({ fields: [{ pointer: "/a/b/1" }] })
      expectProblem(await service.post("/honey-tokens", { name: "Trap", like: token }), "invalid-request")
      expect(await open(other)).toBe("Ada")
      expect(await find(person)).toEqual([])
      expect((await service.get(`/data-subjects/${erased.id}`)).json).toEqual(erased)
    },
  )

  test.each(WAYS)(
    "stays an erasure when the person comes again: a new data subject, whose key opens no old %s token",
    async (_version, sealBy) => {
      const person = newPerson()
      const old = await sealBy(person)
      await remove(idIn(old))
      const renewed = await sealBy(person)
      expect(idIn(renewed)).not.toBe(idIn(old))
      expect([await open(renewed), await open(old)]).toEqual(["Ada", "data-subject/erased"])
      const spliced = old.split(":")
      spliced[4] = renewed.split(":")[4] ?? ""
      expect(await open(spliced.join(":"))).toBe("invalid-request")
    },
  )

  test("changes nothing when it is repeated, and cannot be undone once it is complete", async () => {
    const id = idIn(await seal(newPerson()))
    const erased = await remove(id)
    expect(await remove(id)).toEqual(erased)
    expectProblem(await restore(id), "conflict")
  })

  test("leaves no copy of the key for a repetition of the request, which gets the same answer", async () => {
    const writesOf = async (headers: CallOptions["headers"], id: string) => {
      const before = service.awsCalls.length
      const answer = await service.delete(`/data-subjects/${id}`, { headers: headers ?? {} })
      expect(answer.json).toMatchObject({ status: "erased" })
      const calls = service.awsCalls.slice(before)
      return { answer, writes: calls.filter(({ operation }) => operation === "PutItem").length }
    }
    const { writes } = await writesOf({}, idIn(await seal(newPerson())))
    const id = idIn(await seal(newPerson()))
    const headers = { "idempotency-key": `erase-${id}` }
    const keyed = await writesOf(headers, id)
    // The key's own record, and the answer in it: no record as it was before.
    expect(keyed.writes).toBe(writes + 2)
    const again = await service.delete(`/data-subjects/${id}`, { headers })
    expect([again.headers.get("idempotency-replayed"), again.text]).toEqual(["true", keyed.answer.text])
  })

  test("is completed by the same request again after a crash that left it to nobody", async () => {
    const person = newPerson()
    const token = await seal(person)
    const { app } = service.sandbox
    const { configTable } = service.service.platform
    const subject = await dataSubjectRecords.find(configTable, app.id, { id: idIn(token) })
    if (subject === null) throw new Error("There is no such data subject")
    const requestedAt = subject.createdAt + 1
    const begun = { status: "pending", requestedAt, eraseAt: requestedAt } as const
    await dataSubjectRecords.replace(configTable, app.id, { ...subject, ...begun })
    expect(await remove(subject.id)).toMatchObject({ status: "erased", requestedAt })
    expect(await find(person)).toEqual([])
    expect(await sweep(DAY_MS)).toBe(0)
  })

  test("can be undone until its window ends: meanwhile nothing opens, and nothing new is sealed", async () => {
    const { auth } = await windowedApp()
    const token = await seal("ada", "Ada", { auth })
    const id = idIn(token)
    const pending = await remove(id, { auth })
    expect(pending).toMatchObject({ status: "pending", erasedAt: null })
    expect((pending.eraseAt ?? 0) - (pending.requestedAt ?? 0)).toBe(DAY_MS)
    expect(await remove(id, { auth })).toEqual(pending)
    expect(await open(token, { auth })).toBe("data-subject/erased")
    const headers = { "x-service-data-subject": "ada" }
    expectProblem(await service.post("/encrypt", '"x"', { auth, headers }), "conflict")
    await sweep(DAY_MS / 2)
    expect((await restore(id, { auth })).json).toMatchObject({
      status: "active",
      requestedAt: null,
      eraseAt: null,
    })
    expect((await restore(id, { auth })).status).toBe(200)
    expect(await open(token, { auth })).toBe("Ada")
    await sweep(2 * DAY_MS)
    expect(await open(token, { auth })).toBe("Ada")
  })

  test("is completed at the end of its window, once, with a record in the audit log that names no person", async () => {
    const { auth } = await windowedApp()
    const token = await seal("ada@example.com", "Ada", { auth })
    const id = idIn(token)
    await remove(id, { auth })
    expect(await sweep(DAY_MS + 60_000)).toBeGreaterThan(0)
    expect((await service.get(`/data-subjects/${id}`, { auth })).json).toMatchObject({ status: "erased" })
    expect(await open(token, { auth })).toBe("data-subject/erased")
    expect(await sweep(DAY_MS + 60_000)).toBe(0)
    const { text, json } = await service.get(`/audit-logs?limit=20`, { auth: service.team.auth })
    const records = z
      .object({
        data: z.array(z.looseObject({ action: z.string(), target: z.looseObject({ id: z.string() }) })),
      })
      .parse(json).data
    const ofSubject = records.filter(({ target }) => target.id === id).map(({ action }) => action)
    expect(ofSubject).toEqual(["data-subject.erase", "data-subject.delete"])
    expect(text).not.toContain("ada@example.com")
  })

  test("is completed by the sweeper after a crash at any step", async () => {
    const { app, auth } = await windowedApp()
    const { platform } = service.service
    for (const failing of ["replace", "ledger", "get", "remove"] as const) {
      const token = await seal(`person-${failing}`, "Ada", { auth })
      await remove(idIn(token), { auth })
      const dies = () => Promise.reject(new Error("The process dies"))
      const wallClock = () => platform.wallClock() + DAY_MS + 60_000
      const tables = {
        configTable: { ...platform.configTable, ...(failing !== "ledger" && { [failing]: dies }) },
        eventsTable: { ...platform.eventsTable, ...(failing === "ledger" && { replace: dies }) },
      }
      const log = { error: () => undefined }
      await expect(sweepErasures({ ...platform, ...tables, log, wallClock })).rejects.toThrow()
      expect(await sweepErasures({ ...platform, log, wallClock }), failing).toBeGreaterThan(0)
      const headers = { "x-service-data-subject": `person-${failing}` }
      expect(await find(headers["x-service-data-subject"], { auth })).toEqual([])
      expect(await open(token, { auth })).toBe("data-subject/erased")
      const left = await platform.configTable.list(`data-subject-references#${app.id}`, "")
      expect(left).toEqual([])
    }
  })
})

describe("an erasure that can be undone", () => {
  /** A data subject of an app with an undo window, and what a point-in-time restore does to its record. */
  async function windowedSubject(person: string) {
    const { app, auth } = await windowedApp()
    const token = await seal(person, "Ada", { auth })
    const { platform } = service.service
    const id = idIn(token)
    const key = { pk: `data-subjects#${app.id}`, sk: id }
    return {
      app,
      auth,
      token,
      id,
      platform,
      /** Returns what writes the record as it is now. */
      async backup() {
        const item = await platform.configTable.get(key)
        if (item === null) throw new Error("There is no record")
        return () => platform.configTable.put(key, item)
      },
      /** Opens the value as a process that has no key in memory. */
      openAgain() {
        platform.keyring.subjects.forget(app.id, id)
        return open(token, { auth })
      },
    }
  }

  test("stays when the record is restored from an old backup, can be undone, and is completed when it is asked for again", async () => {
    const { auth, id, backup, openAgain } = await windowedSubject("ada")
    const restoreBackup = await backup()
    const pending = await remove(id, { auth })
    await restoreBackup()
    expect(await openAgain()).toBe("data-subject/erased")
    expect((await service.get(`/data-subjects/${id}`, { auth })).json).toEqual(pending)
    expect((await service.get("/data-subjects", { auth })).json).toMatchObject({ data: [pending] })
    const headers = { "x-service-data-subject": "ada" }
    expectProblem(await service.post("/encrypt", '"x"', { auth, headers }), "conflict")
    expect((await restore(id, { auth })).json).toMatchObject({ status: "active" })
    expect(await openAgain()).toBe("Ada")

    const restoreActive = await backup()
    const again = await remove(id, { auth })
    await restoreActive()
    expect(await remove(id, { auth })).toEqual(again)
    expect(await sweep(DAY_MS + 1)).toBeGreaterThan(0)
    expect(await openAgain()).toBe("data-subject/erased")
    expect((await service.get(`/data-subjects/${id}`, { auth })).json).toMatchObject({ status: "erased" })
  })

  test("stays when it is asked for again after a crash that only destroyed the key, and the record is restored", async () => {
    const { app, auth, id, platform, backup, openAgain } = await windowedSubject("dan")
    const restoreBackup = await backup()
    const subject = await dataSubjectRecords.find(platform.configTable, app.id, { id })
    if (subject === null) throw new Error("There is no such data subject")
    const destroyed = { status: "erased", key: null, reference: null, erasedAt: subject.createdAt } as const
    await dataSubjectRecords.replace(platform.configTable, app.id, { ...subject, ...destroyed })
    expect(await remove(id, { auth })).toMatchObject({ status: "erased", erasedAt: subject.createdAt })
    await restoreBackup()
    expect(await openAgain()).toBe("data-subject/erased")
    expectProblem(await restore(id, { auth }), "conflict")
  })

  test("and was undone stays undone when the record is restored from a backup in between: no sweep destroys the key", async () => {
    const { auth, id, backup, openAgain } = await windowedSubject("bob")
    await remove(id, { auth })
    const restoreBackup = await backup()
    expect((await restore(id, { auth })).status).toBe(200)
    await restoreBackup()
    expect(await openAgain()).toBe("Ada")
    await sweep(DAY_MS + 60_001)
    expect(await openAgain()).toBe("Ada")
  })

  test.each([
    ["what is due", "configTable", "create"],
    ["the ledger, the first time", "eventsTable", "create"],
    ["the ledger, another time", "eventsTable", "replace"],
    ["the record", "configTable", "replace"],
  ] as const)(
    "is begun, and undone, by the same request again after a crash in front of %s",
    async (_step, table, method) => {
      const { app, auth, id, platform, openAgain } = await windowedSubject("cyd")
      if (method === "replace") {
        await remove(id, { auth })
        await restore(id, { auth })
      }
      const author = { actor: { type: "system", id: "test" }, ip: null, requestId: null } as const
      const dies = () => Promise.reject(new Error("The process dies"))
      const dying = { ...platform, [table]: { ...platform[table], [method]: dies } }
      await expect(deleteDataSubject(dying, app, id, author)).rejects.toThrow("The process dies")
      const pending = await remove(id, { auth })
      expect(pending).toMatchObject({ status: "pending" })
      expect(await openAgain()).toBe("data-subject/erased")
      if (method === "replace") {
        await expect(restoreDataSubject(dying, app, id, author)).rejects.toThrow("The process dies")
      }
      expect((await restore(id, { auth })).json).toMatchObject({ status: "active", requestedAt: null })
      expect(await openAgain()).toBe("Ada")
      await sweep(DAY_MS + 60_001)
      expect(await openAgain()).toBe("Ada")
    },
  )

  test("is as its last answer says when requests race, and those that lose are refused with conflict", async () => {
    const { auth, id, openAgain } = await windowedSubject("dan")
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all([0, 1, 2].map(() => service.delete(`/data-subjects/${id}`, { auth })))
      expect(answers.some(({ status }) => status === 200)).toBe(true)
      for (const { status } of answers) expect([200, 409]).toContain(status)
      expect(await openAgain()).toBe("data-subject/erased")
      const undone = await Promise.all([0, 1].map(() => restore(id, { auth })))
      expect(undone.some(({ status }) => status === 200)).toBe(true)
      expect(await openAgain()).toBe("Ada")
    }
  })
})

test.each(WAYS)(
  "rewraps a %s value of a data subject under its key, so that erasing still reaches it",
  async (_version, sealBy) => {
    const token = await sealBy(newPerson())
    const { json } = await service.post("/rewrap", [token])
    const [rewrapped = ""] = z.array(z.string()).parse(json)
    expect(rewrapped).not.toBe(token)
    expect(idIn(rewrapped)).toBe(idIn(token))
    expect(rewrapped).toMatch(/^ev:debug:c3cy:/)
    await remove(idIn(token))
    expect(await open(rewrapped)).toBe("data-subject/erased")
  },
)

test("decrypts values of many data subjects in one request", async () => {
  const { auth } = await service.newApp("sandbox")
  const numbers = Array.from({ length: 40 }, (_, index) => index)
  const tokens = await Promise.all(numbers.map((number) => seal(`person-${number}`, number, { auth })))
  expect(await open(tokens, { auth })).toEqual(numbers)
})
