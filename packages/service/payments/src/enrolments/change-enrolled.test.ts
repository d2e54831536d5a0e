import { ConflictError } from "@sealway/kernel"
import type { RecordKey } from "@sealway/ports"
import { describe, expect, test } from "vitest"
import {
  addMerchant,
  changeMerchant,
  deleteMerchant,
  requireMerchant,
} from "../merchants/manage-merchants.ts"
import { MERCHANTS } from "../merchants/merchant-kind.ts"
import { createRetryEnrolment } from "../retries/retry-enrolments.ts"
import { MERCHANT_DETAILS } from "../testing/merchant-details.ts"
import { PRODUCTION_APP as APP, AUTHOR, createWorld } from "../testing/world.ts"
import { applyEnrolmentNews } from "./apply-news.ts"
import { deleteEnrolled } from "./change-enrolled.ts"
import { tellChange } from "./tell-change.ts"

type World = Awaited<ReturnType<typeof createWorld>>

async function createShop() {
  const world = await createWorld()
  const { id } = await addMerchant(world.dependencies, APP, MERCHANT_DETAILS, AUTHOR)
  const find = () => requireMerchant(world.dependencies, APP, id)
  return { world, id, find }
}

/** Returns what a caller uses while a rival writes after each of the caller's first reads of a merchant. */
function withRival({ dependencies }: World, id: string, reads: number, write: () => Promise<unknown>) {
  let read = 0
  const paymentsTable = {
    ...dependencies.paymentsTable,
    async get(key: RecordKey) {
      const item = await dependencies.paymentsTable.get(key)
      if (key.sk === `merchant#${id}` && read++ < reads) await write()
      return item
    },
  }
  return { ...dependencies, paymentsTable }
}

const recordedOf = (world: World) => world.audited.map((entry) => "action" in entry && entry.action)

describe("a change that others are faster than", () => {
  test("is applied to what they wrote, and recorded once", async () => {
    const { world, id, find } = await createShop()
    const enrol = () => changeMerchant(world.dependencies, APP, id, { ethoca: { isEnabled: true } }, AUTHOR)
    const dependencies = withRival(world, id, 9, enrol)
    const changed = await changeMerchant(dependencies, APP, id, { shortName: "S" }, AUTHOR)
    expect(changed.details).toMatchObject({ shortName: "S", ethoca: { isEnabled: true } })
    expect(await find()).toEqual(changed)
    expect(recordedOf(world)).toEqual(["merchant.create", ...Array(10).fill("merchant.update")])
  })

  test("is refused with conflict after ten times, and recorded as failed", async () => {
    const { world, id, find } = await createShop()
    const enrol = () => changeMerchant(world.dependencies, APP, id, { ethoca: { isEnabled: true } }, AUTHOR)
    const dependencies = withRival(world, id, 10, enrol)
    await expect(changeMerchant(dependencies, APP, id, { shortName: "S" }, AUTHOR)).rejects.toMatchObject({
      code: "conflict",
    })
    expect((await find()).details.shortName).toBeNull()
    expect(recordedOf(world).at(-1)).toBe("merchant.update.failed")
  })

  test("is refused when what its caller relies on is gone", async () => {
    const { world, id } = await createShop()
    const enrol = () => createRetryEnrolment(world.dependencies, APP, id, AUTHOR)
    await expect(createRetryEnrolment(withRival(world, id, 1, enrol), APP, id, AUTHOR)).rejects.toMatchObject(
      { code: "conflict", message: expect.stringContaining("already enrolled") },
    )
    const deletion = () => deleteMerchant(world.dependencies, APP, id, AUTHOR)
    const dependencies = withRival(world, id, 1, deletion)
    await expect(changeMerchant(dependencies, APP, id, { shortName: "S" }, AUTHOR)).rejects.toMatchObject({
      code: "not-found",
    })
  })
})

test("a deletion that turns out to be impossible is undone, although an event was published meanwhile", async () => {
  const { world, id, find } = await createShop()
  const { dependencies } = world
  const news = { id, round: 1, occurredAt: world.now() + 1, answer: { status: "failed" } } as const
  world.advance(1)
  await applyEnrolmentNews(MERCHANTS, APP, news, dependencies)
  const before = await find()
  expect(before.untold).not.toBeNull()
  const refuse = async () => {
    const deleted = await MERCHANTS.table.find(dependencies, APP, id)
    if (deleted !== null) await tellChange(MERCHANTS, APP, deleted, dependencies)
    throw new ConflictError("The merchant is needed.")
  }
  await expect(deleteEnrolled(MERCHANTS, dependencies, APP, id, AUTHOR, refuse)).rejects.toMatchObject({
    message: "The merchant is needed.",
  })
  expect(await find()).toEqual({ ...before, untold: null, revision: before.revision + 3 })
})
