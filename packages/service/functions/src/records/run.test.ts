import { describe, expect, test } from "vitest"
import { beginRun, endRun, MAX_ATTEMPTS, nextRunStep, releaseRun, workerLimitMs } from "./run.ts"
import type { FunctionRun } from "./run-table.ts"

const NOW_MS = 1_700_000_000_000

const SCHEDULED: FunctionRun = {
  id: "func_run_1",
  appId: "app_1",
  teamId: "team_1",
  functionId: "func_1",
  functionName: "charge",
  status: "scheduled",
  requester: { actor: { type: "api-key", id: "key_1" }, ip: "1.1.1.1", requestId: "1", apiKeyId: "key_1" },
  attempts: 0,
  setbacks: 0,
  claimedUntil: null,
  callbackUrl: null,
  createdAt: NOW_MS,
  completedAt: null,
  expiresAt: NOW_MS / 1000 + 600,
  revision: 1,
}

describe("the next step of a run", () => {
  test.each([
    ["an attempt when none is under way", {}, { do: "attempt" }],
    ["to wait for the end of the claim", { claimedUntil: NOW_MS + 1 }, { do: "wait", waitMs: 1 }],
    ["an attempt when the claim ends now", { claimedUntil: NOW_MS }, { do: "attempt" }],
    ["the last attempt", { attempts: MAX_ATTEMPTS - 1 }, { do: "attempt" }],
    ["to give up after the last attempt", { attempts: MAX_ATTEMPTS }, { do: "give-up" }],
    [
      "to wait for the last attempt while it is under way",
      { attempts: MAX_ATTEMPTS, claimedUntil: NOW_MS + 9 },
      { do: "wait", waitMs: 9 },
    ],
    ["to finish after a success", { status: "success" }, { do: "finish" }],
    [
      "to finish after a failure, claimed or not",
      { status: "failure", claimedUntil: NOW_MS + 9 },
      { do: "finish" },
    ],
  ] as const)("is %s", (_, changes, step) => {
    expect(nextRunStep({ ...SCHEDULED, ...changes }, NOW_MS)).toEqual(step)
  })
})

describe("an attempt", () => {
  test.each([
    [1, 16_000],
    [30, 45_000],
    [870, 885_000],
    [900, 885_000],
  ])(
    "of a function with a timeout of %d s may take %d ms, never longer than the worker itself",
    (timeoutSeconds, limitMs) => {
      expect(workerLimitMs(timeoutSeconds)).toBe(limitMs)
    },
  )

  test("claims the run for its duration and a minute", () => {
    expect(beginRun(SCHEDULED, 45_000, NOW_MS)).toEqual({
      ...SCHEDULED,
      attempts: 1,
      claimedUntil: NOW_MS + 105_000,
    })
  })

  test("only counts when the code may have been called", () => {
    const begun = beginRun(SCHEDULED, 45_000, NOW_MS)
    expect(releaseRun(begun, true)).toEqual({ ...SCHEDULED, attempts: 1 })
    expect(releaseRun(begun, false)).toEqual(SCHEDULED)
  })

  test("leaves no claim when it ends the run", () => {
    const ended = endRun(beginRun(SCHEDULED, 45_000, NOW_MS), "success", "https://a.example/", NOW_MS + 5)
    expect(ended).toEqual({
      ...SCHEDULED,
      status: "success",
      attempts: 1,
      callbackUrl: "https://a.example/",
      completedAt: NOW_MS + 5,
    })
  })
})
