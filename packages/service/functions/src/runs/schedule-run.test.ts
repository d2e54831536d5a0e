import { TEST_APP as APP } from "@sealway/accounts/testing"
import type { Effect } from "@sealway/http"
import type { RecordKey } from "@sealway/ports"
import { describe, expect, test } from "vitest"
import { requireFunction } from "../deploy/manage-functions.ts"
import { createDeployedWorld, REQUESTER } from "../testing/world.ts"
import { scheduleRun } from "./schedule-run.ts"

const isRun = ({ sk }: RecordKey) => sk.startsWith("function-run#")
const isPayload = ({ pk }: RecordKey) => pk.startsWith("function-run-data#")

describe("scheduling a run counts as an effect", () => {
  test.each<[string, (key: RecordKey) => boolean, boolean]>([
    ["when storing the run itself fails: it may be stored", isRun, true],
    ["not when storing its payload fails: no run can be found", isPayload, false],
  ])("%s", async (_when, isFailing, expected) => {
    const { dependencies } = await createDeployedWorld()
    const { runsTable } = dependencies
    const failing = {
      ...runsTable,
      create: (key: RecordKey, item: object) =>
        isFailing(key)
          ? Promise.reject(new Error("The table cannot be reached"))
          : runsTable.create(key, { ...item }),
    }
    const seen = { begun: false }
    const effect: Effect = {
      isRepeatable: true,
      begin() {
        seen.begun = true
      },
      undo() {
        seen.begun = false
      },
      lockAnswer: () => undefined,
    }
    const record = await requireFunction(dependencies, APP, "charge")
    const body = Buffer.from('{"payload":{},"async":true}')
    const scheduling = scheduleRun(
      { ...dependencies, runsTable: failing },
      APP,
      record,
      body,
      REQUESTER,
      effect,
    )
    await expect(scheduling).rejects.toThrow("cannot be reached")
    expect(seen.begun).toBe(expected)
  })
})
