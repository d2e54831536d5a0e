/** A text of the product that is replaced by another one, so that it breaks a promise. */
export interface Mutation {
  /** What is promised. */
  readonly promise: string
  readonly file: string
  readonly from: string
  readonly to: string
  /** A part of the name of a program that finds it. */
  readonly program: string
}

/** For each invariant of `docs/testing.md` that programs check, at least one. */
export const MUTATIONS: readonly Mutation[] = [
  {
    promise: "repeated is once",
    file: "packages/service/http/src/once/request-record.ts",
    from: "isOnce || first === undefined || found.nonce === undefined",
    to: "true",
    program: "create-data-role twice",
  },
  {
    promise: "acknowledged is kept",
    file: "packages/service/subjects/src/management/sweep-erasures.ts",
    from: "wallClock() < due.eraseAt + BEGINNING_MS",
    to: "false",
    program: "nobody asks again",
  },
  {
    promise: "erased never opens again",
    file: "packages/service/subjects/src/management/erase-key.ts",
    from: 'status: "erased",\n      key: null,',
    to: 'status: "active",',
    program: "two erase a data subject",
  },
  {
    promise: "restored within the window opens again",
    file: "packages/service/subjects/src/management/sweep-erasures.ts",
    from: '(subject?.status === "pending" && subject.eraseAt === due.eraseAt)',
    to: "subject !== null",
    program: "one restores a data subject",
  },
  {
    promise: "a budget is never exceeded",
    file: "packages/service/policies/src/deciding/budgets.ts",
    from: 'attribute: "values", amount, limit, expiresAt',
    to: 'attribute: "values", amount, limit: limit + 1, expiresAt',
    program: "a budget for two",
  },
  {
    promise: "a revoked credential ends within 10 seconds",
    file: "packages/service/accounts/src/accounts/directory.ts",
    from: "CONFIGURATION_TTL_MS = 10_000",
    to: "CONFIGURATION_TTL_MS = 20_000",
    program: "one revokes an API key",
  },
  {
    promise: "the audit chain has no fork and no gap",
    file: "packages/service/records/src/audit/audit-table.ts",
    from: "if (!(await create(blockKey(first.teamId, first.seq), item, stamp))) return false",
    to: 'await create(blockKey(first.teamId, first.seq), item, { attempt: "", isMade: () => true })',
    program: "two of them in a group",
  },
  {
    promise: "no record is in the audit chain twice",
    file: "packages/service/records/src/audit/audit-table.ts",
    from: "if (key && (await page(key.pk, key.sk, { limit: 1 })).items.length === 0) await writeReceipt(block)",
    to: "",
    program: "two of them in a group",
  },
  {
    promise: "an answered decryption has an access record",
    file: "packages/service/vault/src/audit/record-decryption.ts",
    from: "if (!values.isStrict) return accessLog.record(record)",
    to: "if (!values.isStrict) return",
    program: "one revokes an API key",
  },
  {
    promise: "an event is failed only after its attempts reached the network",
    file: "packages/service/webhooks/src/records/delivery.ts",
    from: "attempts: delivery.attempts - 1, interruptions",
    to: "interruptions",
    program: "a receiver that fails",
  },
  {
    promise: "a deleted file does not come back",
    file: "packages/service/files/src/management/manage-uploads.ts",
    from: "const isWritten = (await fileRecords.replace(configTable, app.id, file)) !== null",
    to: "const isWritten = (await fileRecords.create(configTable, app.id, file), true)",
    program: "two complete an upload",
  },
  {
    promise: "a 3-D Secure session never leaves its end state",
    file: "packages/service/payments/src/three-d-secure-sessions/steps/session-steps.ts",
    from: "success: { returned },",
    to: "success: { returned, expired, left },",
    program: "two challenge responses",
  },
  {
    promise: "a message of a queue has one recorded outcome",
    file: "packages/service/functions/src/runs/complete-run.ts",
    from: "id: EVENT_PREFIX + id.slice(RUN_PREFIX.length),",
    to: "",
    program: "a worker runs a function",
  },
]
