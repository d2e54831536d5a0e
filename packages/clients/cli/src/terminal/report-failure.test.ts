import { expect, test } from "vitest"
import { refusal } from "../testing/refusal.ts"
import { createTestHost } from "../testing/test-host.ts"
import { withHint } from "./failure-of.ts"
import { UsageFailure } from "./failures.ts"
import { reportFailure } from "./report-failure.ts"

const fields = [{ pointer: "/slug", reason: "Wrong." }]

test("reports a refusal as JSON with what the service says, and as text with a line for each field", () => {
  const error = refusal(400, "invalid-request", { detail: "A reason.", fields })
  const host = createTestHost({ folder: "/" })
  expect(reportFailure(host, error, true)).toBe(1)
  expect(JSON.parse(host.stderrText())).toEqual({
    code: "invalid-request",
    detail: "A reason.",
    status: 400,
    fields,
    requestId: null,
  })
  const people = createTestHost({ folder: "/" })
  reportFailure(people, error, false)
  expect(people.stderrText()).toBe("sealway: A reason.\n  /slug: Wrong.\n")
})

test("adds how to go on to what the service refuses, and not to a wrong command line", () => {
  const hinted = withHint(refusal(503, "service-unavailable", { fields }), "Run it again.")
  expect(hinted).toMatchObject({ exitCode: 5, details: ["/slug: Wrong.", "Run it again."] })
  const usage = new UsageFailure("Wrong.")
  expect(withHint(usage, "Run it again.")).toBe(usage)
})
