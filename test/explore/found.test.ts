import { followTurns, formatSteps, type Turn } from "@sealway/ports/testing"
import { expect, test } from "vitest"
import { load, type Program } from "./program.ts"
import { completeAndDelete } from "./programs/complete-and-delete.ts"
import { deployAndWork } from "./programs/deploy-and-work.ts"
import { eraseAndEncrypt, eraseOnce, eraseTwice } from "./programs/erase-and-encrypt.ts"
import { writes } from "./programs/writes.ts"

/** Runs one history, and expects that it keeps every promise. @returns its steps as a table */
async function expectKept(program: Program, turns: readonly Turn[]): Promise<string> {
  const { choose, isDone } = followTurns(turns)
  const { steps, violation } = await (await load(program))(choose)
  expect(violation?.message ?? null, formatSteps(steps)).toBeNull()
  expect(isDone(), `Not all turns were taken:\n${formatSteps(steps)}`).toBe(true)
  return formatSteps(steps)
}

const writing = (id: string) => {
  const program = writes.find(({ name }) => name === `${id} twice`)
  if (program === undefined) throw new Error(`Nothing explores ${id}`)
  return program
}

/** Histories that once broke a promise. */
test("completes an erasure without a window that another process began, with a clock ahead of this one's", async () => {
  const steps = await expectKept(eraseTwice, [
    { before: ["first", "config.get data-subjects#"], comes: "second" },
    { before: ["second", "config.replace data-subjects#"], comes: "second!lost" },
  ])
  expect(steps).toContain("answer 503 delete-data-subject")
})

test("does not bring a deleted file back when a completion that was overtaken goes on", async () => {
  await expectKept(completeAndDelete, [
    { before: ["complete", "kms.decrypt"], comes: "again" },
    { before: ["complete", "kms.decrypt"], comes: "delete" },
  ])
})

test("answers a repeated deletion with success when its first attempt failed after the file was completed and removed", async () => {
  const steps = await expectKept(completeAndDelete, [
    { before: ["complete", "kms.decrypt"], comes: "delete" },
    // The upload is completed while it is deleted.
    { before: ["delete", "events.put idempotency#"], comes: "again" },
    { before: ["complete", "kms.decrypt"], comes: "delete" },
    { before: ["delete", "s3.remove"], comes: "delete" },
    // The file is gone by then, and its bytes are.
    { before: ["delete", "s3.remove"], comes: "delete!lost" },
  ])
  expect(steps).toContain("answer 503 delete-file")
  expect(steps).toContain("answer 204 delete-file")
})

test.each([
  ["delete-data-role", "config.remove app#"],
  ["delete-webhook-endpoint", "config.remove app#"],
  ["delete-bin-table", "payments.remove team#"],
  ["delete-acquirer", "payments.remove app#"],
  ["delete-connector", "payments.remove app#"],
])(
  "answers %s with success when the client of AWS repeats the removal, whose answer was lost",
  async (id, call) => {
    await expectKept(writing(id), [{ before: ["first", call], comes: "first!retried" }])
  },
)

test("executes a request once that was frozen until its key could be taken: its host has ended it", async () => {
  const steps = await expectKept(writing("update-team"), [
    { before: ["first", "events.create idempotency#"], comes: "first!throttled" },
    { before: ["again", "audit.page team#"], comes: "clock first" },
  ])
  expect(steps.match(/config\.replace team#/g)).toHaveLength(1)
})

/** Histories that no other test holds. */
test("does not complete an upload that another request is deleting", async () => {
  const steps = await expectKept(completeAndDelete, [
    { before: ["complete", "config.replace app#"], comes: "complete!dies" },
    { before: ["again", "keys.get api-key#"], comes: "delete" },
    { before: ["delete", "s3.remove"], comes: "again" },
    // With the place of the file, it would go on here.
    { before: ["again", "events.replace idempotency#"], comes: "delete" },
  ])
  expect(steps).toContain("answer 404 complete-file")
})

test("aborts an upload in the storage when the record of its file cannot be written", async () => {
  const steps = await expectKept(writing("create-file"), [
    { before: ["first", "config.create app#"], comes: "first!throttled" },
  ])
  expect(steps).toMatch(/first +s3\.abortUpload/)
})

test("completes an erasure whose process died, though a sweeper came between its note and its beginning", async () => {
  await expectKept(eraseOnce, [
    { before: ["erase", "config.replace data-subjects#"], comes: "clock sweep" },
    { before: ["erase", "audit.create team#"], comes: "erase!dies" },
  ])
})

test("keeps the reference of a data subject that was created again while an old erasure was completed", async () => {
  await expectKept(eraseAndEncrypt, [
    { before: ["erase", "config.remove data-subject-references#"], comes: "erase!dies" },
  ])
})

test("repeats a deployment that has sent its message, though a worker has changed the function since", async () => {
  await expectKept(deployAndWork, [
    { before: ["client", "events.replace idempotency#"], comes: "client!dies" },
  ])
})
