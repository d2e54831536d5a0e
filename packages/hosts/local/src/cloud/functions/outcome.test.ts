import { expect, test } from "vitest"
import { exited, failed, outOfMemory, timedOut } from "./outcome.ts"

const ID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

test.each([
  ["an exit with an error", exited(ID, 1, null), "Runtime exited with error: exit status 1"],
  ["an exit without one", exited(ID, 0, null), "Runtime exited without providing a reason"],
  ["an abort", exited(ID, null, "SIGABRT"), "Runtime exited with error: signal: aborted"],
  ["another signal", exited(ID, null, "SIGUSR2"), "Runtime exited with error: signal: SIGUSR2"],
  ["a process that never began", exited(ID, null, null), "Runtime failed to start"],
])("reports %s in the words of Lambda", (_, outcome, message) => {
  const report = `RequestId: ${ID} Error: ${message}`
  expect(outcome).toEqual({ invocation: { kind: "exited" }, usable: false, report })
})

test("treats a kill by the kernel as exhausted memory", () => {
  expect(exited(ID, null, "SIGKILL")).toEqual(outOfMemory(ID))
  expect(outOfMemory(ID).invocation).toEqual({ kind: "out-of-memory" })
})

test("states the time of a timeout in seconds, and that the function was stopped", () => {
  expect(timedOut(ID, 1_500)).toEqual({
    invocation: { kind: "timed-out", isStopped: true },
    usable: false,
    report: `RequestId: ${ID} Error: Task timed out after 1.50 seconds`,
  })
})

test.each([
  ['{"errorType":"Runtime.HandlerNotFound"}', "not-initialised"],
  ['{"errorType":"Function.ResponseSizeTooLarge"}', "answer-too-large"],
  ['{"errorType":"RangeError","errorMessage":"Task timed out after 1.00 seconds"}', "exited"],
  ["[]", "exited"],
  ["{", "exited"],
])("takes no more than the type from an error that an instance reports: %s", (error, kind) => {
  expect(failed(Buffer.from(error), true)).toEqual({ invocation: { kind }, usable: true, report: null })
})
