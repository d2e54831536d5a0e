import { createHash } from "node:crypto"
import type { AuditRecord } from "@sealway/sdk/api"
import canonicalize from "canonicalize"
import { expect, test } from "vitest"
import { auditId, BrokenChainError, checkNext, EMPTY_CHAIN } from "./chain.ts"

const HASH = /^[0-9a-f]{64}$/

function recordAfter(previousHash: string, seq: number): AuditRecord {
  const record = {
    id: auditId(seq),
    seq,
    at: 1,
    teamId: "team_1",
    appId: null,
    action: "app.create",
    actor: { type: "team-key", id: "key_1" } as const,
    target: { type: "app", id: "app_1" },
    ip: null,
    requestId: null,
    details: { name: "é" },
    previousHash,
  }
  return {
    ...record,
    hash: createHash("sha256")
      .update(canonicalize(record) ?? "")
      .digest("hex"),
  }
}

test("a chain is followed from record to record", async () => {
  const first = recordAfter(EMPTY_CHAIN.hash, 1)
  const chain = await checkNext(EMPTY_CHAIN, first)
  expect(chain).toEqual({ seq: 1, hash: expect.stringMatching(HASH) })
  expect((await checkNext(chain, recordAfter(first.hash, 2))).seq).toBe(2)
})

test.each([
  ["edited", (record: AuditRecord) => ({ ...record, action: "app.update" })],
  ["given another member", (record: AuditRecord) => ({ ...record, extra: 1 })],
  ["left out", () => recordAfter("1".repeat(64), 2)],
  ["relinked", () => recordAfter("1".repeat(64), 1)],
])("a record that was %s breaks the chain", async (_, change) => {
  const record = recordAfter(EMPTY_CHAIN.hash, 1)
  await expect(checkNext(EMPTY_CHAIN, change(record))).rejects.toBeInstanceOf(BrokenChainError)
})
