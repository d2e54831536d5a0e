import { createIdempotency, type Effect } from "@sealway/http"
import { ForbiddenError } from "@sealway/kernel"
import type { SubjectLock } from "@sealway/keys"
import { createCloudClients, type EmbeddedCloud, startEmbeddedCloud } from "@sealway/local"
import { EVENTS_TABLE, QUEUES, TABLES } from "@sealway/ports"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { proxyEvent } from "../support/proxy-event.ts"
import { useService } from "../support/service.ts"

const service = useService()
const NEW_APP = { name: "Shop", environment: "sandbox" }

const create = (key: string, body: unknown = NEW_APP, auth = service.team.auth) =>
  service.post("/apps", body, { auth, headers: { "idempotency-key": key } })

async function countApps(): Promise<number> {
  const { json } = await service.get("/apps?limit=100", { auth: service.team.auth })
  return z.object({ data: z.array(z.unknown()) }).parse(json).data.length
}

describe("a write repeated with its Idempotency-Key", () => {
  test("is executed once and gives the same answer", async () => {
    const before = await countApps()
    const first = await create("once")
    const again = await create("once")
    expect(first.status).toBe(201)
    expect(first.headers.get("idempotency-replayed")).toBeNull()
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    expect(await countApps()).toBe(before + 1)
  })

  test("is refused with idempotency-key-reused when it requests anything else", async () => {
    await create("reused")
    expectProblem(await create("reused", { ...NEW_APP, name: "Other" }), "idempotency-key-reused")
    const elsewhere = { auth: service.team.auth, headers: { "idempotency-key": "reused" } }
    expectProblem(await service.post("/team-keys", { name: "x" }, elsewhere), "idempotency-key-reused")
  })

  test("is executed for each of several credentials: a key belongs to its sender", async () => {
    const other = await service.post("/team-keys", { name: "Other" }, { auth: service.team.auth })
    const { key } = z.object({ key: z.string() }).parse(other.json)
    const one = await create("shared")
    const two = await create("shared", NEW_APP, { user: service.team.id, key })
    expect(two.status).toBe(201)
    expect(two.text).not.toBe(one.text)
  })

  test("is executed once for many concurrent copies; copies that come too early are told so", async () => {
    const before = await countApps()
    const answers = await Promise.all(Array.from({ length: 10 }, () => create("at-once")))
    expect(await countApps()).toBe(before + 1)
    const made = answers.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    for (const early of answers.filter(({ status }) => status !== 201)) expectProblem(early, "conflict")
  })

  test("may be tried again after it was refused", async () => {
    const id = "app_00000000000000000000000000"
    const path = `/apps/${id}/api-keys`
    const options = { auth: service.team.auth, headers: { "idempotency-key": "refused" } }
    expectProblem(await service.post(path, { name: "x", scopes: [] }, options), "not-found")
    expectProblem(await service.post(path, { name: "x", scopes: [] }, options), "not-found")
  })

  test("gives the same answer without a body too", async () => {
    const made = await service.post("/team-keys", { name: "x" }, { auth: service.team.auth })
    const { id } = z.object({ id: z.string() }).parse(made.json)
    const options = { auth: service.team.auth, headers: { "idempotency-key": "no-body" } }
    for (const replayed of [null, "true"]) {
      const { status, text, headers } = await service.delete(`/team-keys/${id}`, options)
      expect([status, text, headers.get("idempotency-replayed")]).toEqual([204, "", replayed])
    }
  })

  test.each(["", " ", "a b", "é", "x".repeat(256)])("is refused when the key is %j", async (key) => {
    const response = await create(encodeHeader(key))
    expectProblem(response, "invalid-request")
    expect(response.json).toMatchObject({ fields: [{ pointer: "/headers/idempotency-key" }] })
  })
})

/** Encodes text as the bytes of a header. */
function encodeHeader(text: string): string {
  return Buffer.from(text).toString("latin1")
}

describe("what is stored for repetitions", () => {
  let cloud: EmbeddedCloud
  beforeAll(async () => {
    cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  })
  afterAll(() => cloud.close())

  const SECRET = "swk_sandbox_secret"
  const clock = { ms: 1_700_000_000_000 }
  const event = proxyEvent({
    method: "POST",
    path: "/apps",
    headers: { "idempotency-key": "key-1" },
    body: "marker-in-the-request",
  })
  const setUp = () => {
    const { clients } = createCloudClients(cloud)
    const table = clients.openTable(EVENTS_TABLE.name, () => clock.ms)
    const stored: object[] = []
    const recording: typeof table = {
      ...table,
      create: (key, item) => {
        stored.push(key, item)
        return table.create(key, item)
      },
      replace: (key, item, revision) => {
        stored.push(key, item)
        return table.replace(key, item, revision)
      },
    }
    return { stored, idempotency: createIdempotency(recording, () => clock.ms) }
  }

  test("reveals neither the request, nor the answer, nor the keys to a reader of the table", async () => {
    const { stored, idempotency } = setUp()
    await idempotency.run(event, SECRET, async () => ({ statusCode: 201, body: "marker-in-the-answer" }))
    const text = stored
      .flatMap((item) => Object.values(item))
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value)))
      .join()
    expect(text.length).toBeGreaterThan(100)
    for (const marker of ["marker", "key-1", SECRET]) expect(text).not.toContain(marker)
  })

  test("ends after 24 hours", async () => {
    const { idempotency } = setUp()
    let runs = 0
    const run = () =>
      idempotency.run(
        proxyEvent({ method: "POST", path: "/", headers: { "idempotency-key": "day" } }),
        SECRET,
        async () => ({ statusCode: 200, body: String(++runs) }),
      )
    expect((await run()).body).toBe("1")
    clock.ms += 24 * 60 * 60_000 - 1_000
    expect((await run()).body).toBe("1")
    clock.ms += 2_000
    expect((await run()).body).toBe("2")
  })

  test("lets a request take over a minute after the first one's process died", async () => {
    const { idempotency } = setUp()
    const crashed = proxyEvent({ method: "POST", path: "/", headers: { "idempotency-key": "crash" } })
    void idempotency.run(crashed, SECRET, () => new Promise(() => undefined))
    await expect.poll(() => outcome(idempotency.run(crashed, SECRET, answer))).toBe("conflict")
    clock.ms += 60_000
    expect(await outcome(idempotency.run(crashed, SECRET, answer))).toBe(200)
  })

  describe("for what must happen once", () => {
    const once = { isOnce: true }
    const requestOf = (key: string) =>
      proxyEvent({ method: "POST", path: "/", headers: { "idempotency-key": key } })

    test("prevents a second execution after its process died, however long ago within a day", async () => {
      const { idempotency } = setUp()
      const crashed = requestOf("once-crash")
      void idempotency.run(crashed, SECRET, () => new Promise(() => undefined), once)
      await expect.poll(() => outcome(idempotency.run(crashed, SECRET, answer, once))).toBe("conflict")
      for (const passedMs of [60_000, 23 * 60 * 60_000]) {
        clock.ms += passedMs
        const again = outcome(idempotency.run(crashed, SECRET, answer, once))
        expect(await again).toBe("idempotency-result-unknown")
      }
    })

    test("prevents a second execution when it failed after its effect began, and not when it failed before", async () => {
      const { idempotency } = setUp()
      const failing = (act: (effect: Effect) => void) => async (effect: Effect) => {
        act(effect)
        throw new Error("It failed")
      }
      const attempts: [string, (effect: Effect) => void, unknown][] = [
        ["begun", (effect) => effect.begin(), "idempotency-result-unknown"],
        ["not begun", () => undefined, 200],
        ["undone", (effect) => [effect.begin(), effect.undo()], 200],
        [
          "begun again",
          (effect) => [effect.begin(), effect.undo(), effect.begin()],
          "idempotency-result-unknown",
        ],
      ]
      for (const [what, act, expected] of attempts) {
        const event = requestOf(what.replaceAll(" ", "-"))
        await expect(idempotency.run(event, SECRET, failing(act), once)).rejects.toThrow("It failed")
        expect({ what, again: await outcome(idempotency.run(event, SECRET, answer, once)) }).toEqual({
          what,
          again: expected,
        })
      }
    })

    test("prevents a second execution when its answer could not be stored", async () => {
      const { clients } = createCloudClients(cloud)
      const table = clients.openTable(EVENTS_TABLE.name, () => clock.ms)
      const down = { ...table, replace: () => Promise.reject(new Error("The table cannot be reached")) }
      const event = requestOf("once-unkept")
      const idempotency = createIdempotency(down, () => clock.ms)
      expect(await outcome(idempotency.run(event, SECRET, answer, once))).toBe(200)
      expect(await outcome(idempotency.run(event, SECRET, answer, once))).toBe("conflict")
      clock.ms += 60_000
      expect(await outcome(idempotency.run(event, SECRET, answer, once))).toBe("idempotency-result-unknown")
    })
  })

  test("returns an answer again only while policies permit it", async () => {
    const { idempotency } = setUp()
    const replayed = proxyEvent({ method: "POST", path: "/", headers: { "idempotency-key": "permitted" } })
    const permitted = { is: false }
    const run = () =>
      idempotency.run(replayed, SECRET, answer, {
        async authorizeReplay() {
          if (!permitted.is) throw new ForbiddenError("Not any more.")
          return null
        },
      })
    expect(await outcome(run())).toBe(200)
    expect(await outcome(run())).toBe("forbidden")
    permitted.is = true
    expect(await outcome(run())).toBe(200)
  })

  test("tells whoever authorizes a repetition how the values were masked, and null when that is unknown", async () => {
    const { idempotency } = setUp()
    const told: (string | null)[] = []
    for (const [name, maskedAs] of [
      ["masked", "a digest"],
      ["unmasked", undefined],
    ] as const) {
      const repeated = proxyEvent({ method: "POST", path: "/", headers: { "idempotency-key": name } })
      const locking = async (effect: Effect) => {
        effect.lockAnswer(null, maskedAs)
        return answer()
      }
      const authorizeReplay = async (masked: string | null) => {
        told.push(masked)
        return null
      }
      for (let times = 0; times < 2; times++) {
        expect(await outcome(idempotency.run(repeated, SECRET, locking, { authorizeReplay }))).toBe(200)
      }
    }
    expect(told).toEqual(["a digest", null])
  })

  test("opens an answer that was locked with the keys of data subjects only with the same lock", async () => {
    const { idempotency } = setUp()
    const locked = proxyEvent({ method: "POST", path: "/", headers: { "idempotency-key": "locked" } })
    const lockOf = (byte: number) => ({ subjects: ["data_subject_1"], key: Buffer.alloc(32, byte) })
    const run = (lock: SubjectLock | null) =>
      idempotency.run(
        locked,
        SECRET,
        async (effect) => {
          effect.lockAnswer(lockOf(1))
          return answer()
        },
        { authorizeReplay: async () => lock },
      )
    expect(await outcome(run(null))).toBe(200)
    for (const other of [null, lockOf(2)]) await expect(run(other)).rejects.toThrow("does not open")
    expect(await outcome(run(lockOf(1)))).toBe(200)
  })

  test("does not turn a change that was made into an error when it cannot be stored", async () => {
    const { clients } = createCloudClients(cloud)
    const table = clients.openTable(EVENTS_TABLE.name, () => clock.ms)
    const down = { ...table, replace: () => Promise.reject(new Error("The table cannot be reached")) }
    const unkept = proxyEvent({ method: "POST", path: "/", headers: { "idempotency-key": "unkept" } })
    expect(await createIdempotency(down, () => clock.ms).run(unkept, SECRET, answer)).toMatchObject({
      statusCode: 200,
    })
  })

  const answer = async () => ({ statusCode: 200, body: "" })
  const outcome = (running: Promise<{ statusCode?: number | undefined }>) =>
    running.then(
      ({ statusCode }) => statusCode,
      (error: { code?: unknown }) => error.code,
    )
})
