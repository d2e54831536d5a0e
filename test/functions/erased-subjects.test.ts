import { findApp, replaceApp } from "@sealway/accounts"
import {
  answered,
  beginRun,
  createRunData,
  type FunctionRun,
  findFunction,
  functionRecords,
  lockOfRun,
  outcomeMembers,
  requireServing,
  runRecords,
  scheduleRun,
  workRun,
} from "@sealway/functions/testing"
import { deleteDataSubject, restoreDataSubject } from "@sealway/subjects/testing"
import { isOfSubject, parseToken, subjectIdOf } from "@sealway/tokens"
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { expectProblem, type FunctionService, startFunctionService } from "./function-service.ts"

const MARKER = "value-marker-4711"
const AUTHOR = { actor: { type: "api-key", id: "key_1" }, ip: "1.1.1.1", requestId: "request-1" } as const
const REQUESTER = { ...AUTHOR, apiKeyId: "key_1" }

let service: FunctionService
beforeAll(async () => {
  service = await startFunctionService()
  await service.deploy("charge")
  await service.settled("charge")
})
afterAll(() => service[Symbol.asyncDispose]())
beforeEach(() => {
  service.settings.behaviour = ({ payload }) => answered({ status: "success", result: payload })
  service.calls.length = 0
})

let people = 0

/** Encrypts a value for a new data subject. */
async function newValue() {
  const key = await service.platform.keyring.subjects.forSealing(service.app, `person-${++people}`)
  const token = key.createSealingKey().seal("string", MARKER)
  const parsed = parseToken(token)
  if (parsed === null || !isOfSubject(parsed)) throw new Error("Not a token of a data subject")
  return { token, id: subjectIdOf(parsed) }
}

/** Sets how long erasures can be undone. */
async function setWindow(erasureDays: number): Promise<void> {
  const { configTable } = service.platform
  const app = await findApp(configTable, service.app.id)
  if (app === null) throw new Error("There is no app")
  await replaceApp(configTable, { ...app, erasureDays })
}

const erase = (id: string) => deleteDataSubject(service.platform, service.app, id, AUTHOR)
const restore = (id: string) => restoreDataSubject(service.platform, service.app, id, AUTHOR)

/** Queues a run and waits until it has ended. @returns its path */
async function runLater(payload: object): Promise<Record<string, string>> {
  const { headers } = await service.run("charge", { payload, async: true })
  const path = { function_name: "charge", run_id: headers.location?.split("/").at(-1) ?? "" }
  await vi.waitFor(async () => expect(await statusOf(path.run_id)).not.toBe("scheduled"), { timeout: 10_000 })
  return path
}

async function statusOf(id: string): Promise<unknown> {
  const { json } = await service.call("list-function-runs", { path: { function_name: "charge" } })
  const { data } = json as { data: { id: string; status: string }[] }
  return data.find((run) => run.id === id)?.status
}

const read = (path: Record<string, string>) => service.call("get-function-run", { path })

/** Accepts a run that no worker has heard of. */
async function scheduleUnheard(payload: object): Promise<FunctionRun> {
  const { dependencies, app } = service
  const serving = await requireServing(dependencies, app, "charge")
  const unheard = { ...dependencies, queues: { send: async () => undefined } }
  return scheduleRun(unheard, app, serving, Buffer.from(JSON.stringify({ payload })), REQUESTER)
}

describe("the result of a run that got values of data subjects", () => {
  test("opens no more once one of them is erased, and the run keeps its status", async () => {
    const [ada, bob] = [await newValue(), await newValue()]
    const path = await runLater({ ada: ada.token, bob: bob.token })
    expect((await read(path)).json).toMatchObject({ result: { ada: MARKER, bob: MARKER } })
    await erase(bob.id)
    const answer = await read(path)
    expectProblem(answer, "data-subject/erased")
    expect(answer.text).not.toContain(MARKER)
    expect(await statusOf(path.run_id ?? "")).toBe("success")
  })

  test("opens again when the erasure is undone", async () => {
    await setWindow(1)
    const ada = await newValue()
    const path = await runLater({ ada: ada.token })
    await erase(ada.id)
    expectProblem(await read(path), "data-subject/erased")
    await restore(ada.id)
    expect((await read(path)).json).toMatchObject({ status: "success", result: { ada: MARKER } })
    await setWindow(0)
  })

  test("does not open either when the code threw it", async () => {
    service.settings.behaviour = () =>
      answered({ status: "failure", error: { message: MARKER, stack: "" }, initialisation: false })
    const ada = await newValue()
    const path = await runLater({ ada: ada.token })
    expect((await read(path)).json).toMatchObject({ status: "failure", error: { message: MARKER } })
    await erase(ada.id)
    expectProblem(await read(path), "data-subject/erased")
  })

  test("does not open when the data subject was erased while the function ran", async () => {
    const ada = await newValue()
    const invoke = vi.spyOn(service.dependencies.host, "invoke").mockImplementationOnce(async () => {
      await erase(ada.id)
      return answered({ status: "success", result: MARKER })
    })
    const path = await runLater({ ada: ada.token })
    expect(invoke).toHaveBeenCalledOnce()
    invoke.mockRestore()
    expectProblem(await read(path), "data-subject/erased")
    expect(await statusOf(path.run_id ?? "")).toBe("success")
  })

  test("of others stays readable", async () => {
    const [ada, bob] = [await newValue(), await newValue()]
    const ofBob = await runLater({ bob: bob.token })
    const ofNobody = await runLater({ plain: MARKER })
    await erase(ada.id)
    for (const path of [ofBob, ofNobody]) expect((await read(path)).text).toContain(MARKER)
  })
})

describe("a run of a data subject that was erased before a worker began it", () => {
  test("fails at once, says why, and is not tried again", async () => {
    const ada = await newValue()
    const run = await scheduleUnheard({ ada: ada.token })
    await erase(ada.id)
    await workRun(run, service.dependencies)
    const { json } = await read({ function_name: "charge", run_id: run.id })
    expect(json).toMatchObject({ status: "failure", error: { message: expect.stringContaining("erased") } })
    expect(service.calls).toEqual([])
  })

  test("ends with the outcome that an earlier attempt wrote before its process died, unopened", async () => {
    const { dependencies, app, runsTable } = service
    const ada = await newValue()
    const run = await scheduleUnheard({ ada: ada.token })
    const begun = await runRecords.replace(runsTable, app.id, { ...beginRun(run, 0, 0), claimedUntil: null })
    if (begun === null) throw new Error("The run was changed")
    const members = outcomeMembers({ status: "success", result: Buffer.from(`"${MARKER}"`) })
    const lock = await lockOfRun(dependencies.keyring, app, [ada.id])
    const beside = { lock, status: "success" } as const
    await createRunData(runsTable, dependencies.keyring, app, begun, "outcome-1", members, beside)
    await erase(ada.id)
    await workRun(begun, dependencies)
    expect(await statusOf(run.id)).toBe("success")
    expectProblem(await read({ function_name: "charge", run_id: run.id }), "data-subject/erased")
    expect(service.calls).toEqual([])
  })
})

test("the stored answer of a synchronous run is not sent again once its data subject is erased", async () => {
  const ada = await newValue()
  const run = () =>
    service.run("charge", { payload: { ada: ada.token } }, { headers: { "idempotency-key": ada.id } })
  expect((await run()).text).toContain(MARKER)
  expect((await run()).headers["idempotency-replayed"]).toBe("true")
  await erase(ada.id)
  const again = await run()
  expectProblem(again, "data-subject/erased")
  expect(again.text).not.toContain(MARKER)
  expect(service.calls).toHaveLength(1)
})

test("the stored answer of a synchronous run is sent again when the erasure is undone", async () => {
  await setWindow(1)
  const ada = await newValue()
  const run = () =>
    service.run("charge", { payload: { ada: ada.token } }, { headers: { "idempotency-key": ada.id } })
  const first = await run()
  await erase(ada.id)
  expectProblem(await run(), "data-subject/erased")
  await restore(ada.id)
  expect(await run()).toMatchObject({ status: 200, text: first.text })
  expect(service.calls).toHaveLength(1)
  await setWindow(0)
})

test.each([
  ["synchronous", async (payload: object) => void (await service.run("charge", { payload }))],
  ["asynchronous", async (payload: object) => void (await runLater(payload))],
])(
  "a process that gets a value of a data subject in a run that is %s is told to print nothing",
  async (_way, run) => {
    const ada = await newValue()
    await run({ ada: ada.token })
    await run({ plain: MARKER, isSilent: true })
    expect(service.calls.map(({ event }) => JSON.parse(event).isSilent)).toEqual([true, undefined])
  },
)

describe("a function that an earlier release deployed", () => {
  test("gets no value of a data subject until it is deployed again, and any other", async () => {
    const { configTable } = service.platform
    await service.deploy("old")
    await service.settled("old")
    const record = await findFunction(configTable, service.app.id, "old")
    if (record === null || record.active === null) throw new Error("The function is not deployed")
    await functionRecords.replace(configTable, service.app.id, {
      ...record,
      active: { ...record.active, canBeSilent: false },
    })
    const ada = await newValue()
    const body = { payload: { ada: ada.token } }
    expectProblem(await service.run("old", body), "functions/function-not-ready")
    const { headers } = await service.run("old", { ...body, async: true })
    const path = { function_name: "old", run_id: headers.location?.split("/").at(-1) ?? "" }
    await vi.waitFor(async () =>
      expect((await read(path)).json).toMatchObject({
        status: "failure",
        error: { message: expect.stringContaining("Deploy it again.") },
      }),
    )
    expect(service.calls).toEqual([])
    expect((await service.run("old", { payload: { plain: MARKER } })).status).toBe(200)
    await service.deploy("old")
    await service.settled("old")
    expect((await service.run("old", body)).text).toContain(MARKER)
  })
})

describe("DELETE /functions/{name}/runs/{id}", () => {
  const remove = (path: Record<string, string>, idempotencyKey?: string) =>
    service.call("delete-function-run", {
      path,
      ...(idempotencyKey !== undefined && { headers: { "idempotency-key": idempotencyKey } }),
    })

  test("deletes a run and its result, once, and the audit log says who did", async () => {
    const path = await runLater({ plain: MARKER })
    const { run_id: id = "" } = path
    await vi.waitFor(async () => expect((await remove(path, id)).status).toBe(204))
    expectProblem(await read(path), "not-found")
    expect(await service.runsTable.list(`function-run-data#${id}`, "")).toEqual([])
    expect(await statusOf(id)).toBeUndefined()
    expect((await remove(path, id)).headers["idempotency-replayed"]).toBe("true")
    expectProblem(await remove(path), "not-found")
    const audited = await Array.fromAsync(service.platform.audit.read(service.team.id, null))
    expect(JSON.stringify(audited)).toContain(`"function-run.delete"`)
  })

  test("deletes one whose data subject is erased", async () => {
    const ada = await newValue()
    const path = await runLater({ ada: ada.token })
    await erase(ada.id)
    await vi.waitFor(async () => expect((await remove(path)).status).toBe(204))
    expectProblem(await read(path), "not-found")
  })

  test("refuses with conflict a run that has not ended, which still ends", async () => {
    const run = await scheduleUnheard({ plain: MARKER })
    const path = { function_name: "charge", run_id: run.id }
    expectProblem(await remove(path), "conflict")
    await workRun(run, service.dependencies)
    expect((await read(path)).text).toContain(MARKER)
  })

  test("refuses with not-found a run of another function", async () => {
    const path = await runLater({ plain: MARKER })
    await service.deploy("other")
    await service.settled("other")
    expectProblem(await remove({ ...path, function_name: "other" }), "not-found")
    expect((await read(path)).status).toBe(200)
  })
})
