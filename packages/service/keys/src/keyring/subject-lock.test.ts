import { createHash } from "node:crypto"
import { TEST_APP as app } from "@sealway/accounts/testing"
import { createSubjectKey, ErasedSubjectError } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { createTestKeyring } from "../testing/test-keyring.ts"
import { openForApp, type SealedPlace, sealForApp } from "./app-seal.ts"
import { subjectLock } from "./subject-lock.ts"

const erased = new Set<string>()
/** Data subjects whose keys follow from their ids. */
const keys = {
  open(_: unknown, id: string) {
    if (erased.has(id)) throw new ErasedSubjectError()
    const key = createHash("sha256").update(id).digest()
    return createSubjectKey({ subjectId: Buffer.alloc(16), key, appPublicKey: Buffer.alloc(33), debug: true })
  },
}
const lockOf = (subjects: readonly string[], purpose = "test") => subjectLock(keys, app, subjects, purpose)
const place: SealedPlace = { app, purpose: "function-run", place: "run-1" }

describe("data that is locked with the keys of data subjects", () => {
  test("opens with all of them, and with no other set, purpose, or none", async () => {
    const keyring = createTestKeyring()
    await keyring.addVersion(app)
    const sealed = await sealForApp(keyring, { ...place, lock: await lockOf(["a", "b"]) }, Buffer.from("x"))
    const open = async (subjects: readonly string[], purpose?: string) =>
      (await openForApp(keyring, { ...place, lock: await lockOf(subjects, purpose) }, sealed))?.toString()
    expect(await open(["a", "b"])).toBe("x")
    for (const others of [[], ["a"], ["b"], ["a", "c"], ["a", "b", "c"]]) {
      expect(await open(others)).toBeUndefined()
    }
    expect(await open(["a", "b"], "other")).toBeUndefined()
  })

  test("has no lock when there are none, and any number of them otherwise", async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `subject-${index}`)
    const lock = await lockOf(many)
    expect(lock?.subjects).toEqual(many)
    expect(lock?.key).toHaveLength(32)
    expect(await lockOf(many.with(999, "another"))).not.toEqual(lock)
    expect(await lockOf([])).toBeNull()
  })

  test("has no lock any more once any of them is erased", async () => {
    erased.add("b")
    await expect(lockOf(["a", "b", "c"])).rejects.toBeInstanceOf(ErasedSubjectError)
    expect(await lockOf(["a", "c"])).not.toBeNull()
  })
})
