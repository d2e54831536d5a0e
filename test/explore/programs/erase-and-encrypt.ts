import { strict as assert } from "node:assert"
import { sweepErasures } from "@sealway/subjects"
import { isOfSubject, parseToken, subjectIdOf } from "@sealway/tokens"
import type { Program } from "../program.ts"
import { checkAuditLog, createAccount, prepare, sendUntilClear } from "../world/accounts.ts"
import type { ServiceProcess, World } from "../world/world.ts"

const ADA = { "x-service-data-subject": "ada" }
const DAY_MS = 86_400_000

/** A value of a data subject that a client has got. */
interface SealedValue {
  readonly token: string
  /** Whether the request began when the erasure was already acknowledged. */
  readonly isLater: boolean
}

/** Seals a first value of a data subject. */
export async function createSubject(process: ServiceProcess, erasureDays: number) {
  const account = await createAccount(process)
  const { app, apiKey, teamKey } = account
  const pathParameters = { app_id: app.id }
  await prepare(process, "update-app", { apiKey: teamKey, pathParameters, body: { erasureDays } })
  const token = await seal(process, apiKey)
  if (token === null) throw new Error("A value is not sealed")
  return { ...account, token, path: { data_subject_id: subjectOf(token) } }
}

async function seal(process: ServiceProcess, apiKey: string): Promise<string | null> {
  const answer = await process.send("encrypt", { apiKey, headers: ADA, body: "Ada" })
  return answer?.status === 200 ? JSON.parse(answer.text) : null
}

function subjectOf(token: string): string {
  const parsed = parseToken(token)
  if (parsed === null || !isOfSubject(parsed)) throw new Error("Not a token of a data subject")
  return subjectIdOf(parsed)
}

/** Returns whether a new process opens a token. */
export async function opens(world: World, apiKey: string, token: string): Promise<boolean> {
  const answer = await world.start().send("decrypt", { apiKey, body: token })
  if (answer?.status === 200) assert.equal(answer.text, '"Ada"', "a value opens as another one")
  return answer?.status === 200
}

/** Sweeps until everything that is due is done. */
async function sweep(world: World): Promise<void> {
  await sweepErasures(world.start().platform)
}

export const eraseAndEncrypt: Program = {
  name: "one erases a data subject while others encrypt for it",
  promises:
    "erased never opens again; what is encrypted after the acknowledgement opens, and is found by the same reference",
  async prepare(world) {
    const { team, apiKey, token, path } = await createSubject(world.start(), 0)
    return (world) => {
      const values: SealedValue[] = []
      let isErased = false
      const encrypt = async () => {
        const isLater = isErased
        const sealed = await seal(world.start(), apiKey)
        if (sealed !== null) values.push({ token: sealed, isLater })
      }
      return {
        actors: {
          async erase() {
            const request = { apiKey, pathParameters: path, idempotencyKey: "erase" }
            const answer = await sendUntilClear(world, "delete-data-subject", request)
            isErased = answer?.status === 200
          },
          encrypt,
          async again() {
            await encrypt()
            await encrypt()
          },
        },
        async check() {
          await world.sleep(DAY_MS)
          await sweep(world)
          const process = world.start()
          if (isErased) assert.ok(!(await opens(world, apiKey, token)), "an erased value opens")
          const list = await process.send("list-data-subjects", { apiKey, headers: ADA })
          for (const { token: sealed, isLater } of values) {
            const isOpen = await opens(world, apiKey, sealed)
            assert.ok(isOpen || !isLater, "a value that was encrypted after the erasure does not open")
            if (isErased && subjectOf(sealed) === subjectOf(token))
              assert.ok(!isOpen, "an erased value opens")
            if (isOpen) {
              assert.ok(
                list?.text.includes(subjectOf(sealed)),
                "nothing leads to the data subject of a value",
              )
            }
          }
          await checkAuditLog(process, team.id)
        },
      }
    }
  },
}

export const eraseTwice: Program = {
  name: "two erase a data subject while a sweeper looks for erasures that a crash left",
  promises: "an acknowledged erasure is for ever, and one that was begun is completed",
  async prepare(world) {
    const { team, apiKey, token, path } = await createSubject(world.start(), 0)
    return (world) => {
      let isErased = false
      const erase = (idempotencyKey: string) => async () => {
        const request = { apiKey, pathParameters: path, idempotencyKey }
        const answer = await sendUntilClear(world, "delete-data-subject", request)
        isErased ||= answer?.status === 200
        if (answer?.status === 200) assert.equal(answer.json.status, "erased")
      }
      return {
        actors: {
          first: erase("first"),
          second: erase("second"),
          async sweep() {
            await world.sleep(1_000)
            const process = world.start()
            await process.run(() => sweepErasures(process.platform).catch(() => 0))
          },
        },
        async check() {
          await world.sleep(DAY_MS)
          await sweep(world)
          if (isErased) assert.ok(!(await opens(world, apiKey, token)), "an erased value opens")
          const subject = await prepare(world.start(), "get-data-subject", { apiKey, pathParameters: path })
          assert.notEqual(subject.status, "pending", "an erasure was begun, and nobody completes it")
          await checkAuditLog(world.start(), team.id)
        },
      }
    }
  },
}

export const eraseOnce: Program = {
  name: "one erases a data subject, and nobody asks again if its process dies",
  promises: "an erasure that was begun is completed by a sweeper",
  bounds: [{ preemptions: 1, faults: 1 }],
  async prepare(world) {
    const { apiKey, token, path } = await createSubject(world.start(), 0)
    return (world) => ({
      actors: {
        async erase() {
          await world.start().send("delete-data-subject", { apiKey, pathParameters: path })
        },
        async sweep() {
          await world.sleep(1_000)
          const process = world.start()
          await process.run(() => sweepErasures(process.platform).catch(() => 0))
        },
      },
      async check() {
        const isBegun = !(await opens(world, apiKey, token))
        await world.sleep(DAY_MS)
        await sweep(world)
        const subject = await prepare(world.start(), "get-data-subject", { apiKey, pathParameters: path })
        assert.equal(subject.status, isBegun ? "erased" : "active")
      },
    })
  },
}

export const sweepAndRestore: Program = {
  name: "one restores a data subject while its window ends and a sweeper erases it",
  promises: "a restored data subject opens for good; one that is not is erased for good",
  async prepare(world) {
    const { team, apiKey, token, path } = await createSubject(world.start(), 1)
    const erasing = await prepare(world.start(), "delete-data-subject", { apiKey, pathParameters: path })
    await world.sleep(Number(erasing.eraseAt) - world.nowMs - 20)
    return (world) => {
      let isRestored = false
      let isRefused = false
      return {
        actors: {
          async restore() {
            const request = { apiKey, pathParameters: path, idempotencyKey: "restore" }
            const answer = await sendUntilClear(world, "restore-data-subject", request)
            isRestored = answer?.status === 200
            isRefused = answer?.status === 409
          },
          async sweep() {
            await world.sleep(60)
            const process = world.start()
            await process.run(() => sweepErasures(process.platform).catch(() => 0))
          },
        },
        async check() {
          const wasOpen = await opens(world, apiKey, token)
          await world.sleep(2 * DAY_MS)
          await sweep(world)
          const isOpen = await opens(world, apiKey, token)
          if (isRestored) assert.ok(isOpen, "a restored value does not open")
          if (isRefused) assert.ok(!isOpen, "a value opens whose restoration was refused")
          if (!wasOpen) assert.ok(!isOpen, "an erased value opens again")
          await checkAuditLog(world.start(), team.id)
        },
      }
    }
  },
}
