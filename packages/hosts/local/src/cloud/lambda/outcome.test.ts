import { expect, test } from "vitest"
import { exited, type Outcome, outOfMemory, timedOut } from "./outcome.ts"

const ID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

test.each([
  ["an exit with an error", exited(ID, 1, null), "Runtime exited with error: exit status 1"],
  ["an exit without one", exited(ID, 0, null), "Runtime exited without providing a reason"],
  ["an abort", exited(ID, null, "SIGABRT"), "Runtime exited with error: signal: aborted"],
  ["another signal", exited(ID, null, "SIGUSR2"), "Runtime exited with error: signal: SIGUSR2"],
  ["a process that never began", exited(ID, null, null), "Runtime failed to start"],
])("describes %s as Lambda does", (_, outcome, message) => {
  expect(errorOf(outcome)).toEqual({
    errorType: "Runtime.ExitError",
    errorMessage: `RequestId: ${ID} Error: ${message}`,
  })
  expect(outcome).toMatchObject({ failed: true, usable: false })
})

test("treats a kill by the kernel as exhausted memory", () => {
  expect(exited(ID, null, "SIGKILL")).toEqual(outOfMemory(ID))
  expect(errorOf(outOfMemory(ID)).errorType).toBe("Runtime.OutOfMemory")
})

test("states the time of a timeout in seconds", () => {
  expect(errorOf(timedOut(ID, 1_500))).toEqual({
    errorType: "Sandbox.Timedout",
    errorMessage: `RequestId: ${ID} Error: Task timed out after 1.50 seconds`,
  })
})

function errorOf({ payload }: Outcome) {
  return JSON.parse(payload.toString())
}
