/** Code that is mutated together, and the tests that must notice. */
export interface MutationArea {
  /** Globs, from the root of the repository. */
  readonly code: readonly string[]
  /** Globs, from the root of the repository. A test that is not listed cannot kill a mutant. */
  readonly tests: readonly string[]
}

const filesIn = (folder: string, names: readonly string[]) => names.map((name) => `${folder}/${name}.ts`)

/** The code whose mistakes cost most. Where a whole package would take hours, the files that decide. */
export const MUTATION_AREAS: ReadonlyMap<string, MutationArea> = new Map([
  [
    "tokens",
    {
      code: [
        "packages/tokens/src/**/*.ts",
        "!packages/tokens/src/**/*.test.ts",
        "!packages/tokens/src/testing/**",
      ],
      tests: ["packages/tokens/src/**/*.test.ts"],
    },
  ],
  [
    "policies",
    {
      code: filesIn("packages/policies/src", [
        "deciding/budget-window",
        "deciding/budgets",
        "rules/ip-address",
        "rules/local-time",
      ]),
      tests: [
        "packages/policies/src/{deciding/budgets,deciding/decisions-under-budgets,rules/ip-address,rules/local-time}.test.ts",
      ],
    },
  ],
  [
    "vault",
    {
      code: [
        "packages/kernel/src/card-number.ts",
        ...filesIn("packages/vault/src", [
          "documents/decrypt-json",
          "values/fingerprint",
          "documents/json-tokens",
          "documents/open-tokens",
          "values/token-opener",
        ]),
      ],
      tests: [
        "packages/kernel/src/card-number.test.ts",
        "packages/vault/src/**/*.test.ts",
        "test/api/{decrypt,decrypt-policies,fingerprint,keys}.test.ts",
      ],
    },
  ],
  [
    "runs",
    {
      code: filesIn("packages/functions/src", [
        "runs/attempt-run",
        "runs/complete-run",
        "runs/delay-run",
        "queue/requeue-function-work",
        "records/run",
        "runs/work-run",
      ]),
      tests: [
        "packages/functions/src/{records/run,runs/run-outcomes,runs/work-run,runs/work-run-steps}.test.ts",
      ],
    },
  ],
  [
    "payments",
    {
      code: [
        ...filesIn("packages/payments/src/bins", ["append-rows", "match-rows", "row-order"]),
        ...filesIn("packages/payments/src/enrolments", [
          "apply-news",
          "ask-network",
          "enrolment",
          "keep-enrolled",
          "requeue-enrolments",
          "tell-change",
          "work-enrolments",
        ]),
      ],
      tests: ["packages/payments/src/bins/*.test.ts", "packages/payments/src/{enrolments,workers}/*.test.ts"],
    },
  ],
  [
    "three-d-secure",
    {
      code: filesIn("packages/payments/src/three-d-secure-sessions", [
        "browser/take-part",
        "steps/receive-results",
        "steps/session-steps",
        "steps/work-sessions",
      ]),
      tests: [
        "packages/payments/src/three-d-secure-sessions/**/*.test.ts",
        "test/payments/three-d-secure-sessions.test.ts",
      ],
    },
  ],
  [
    "once",
    {
      code: [
        ...filesIn("packages/platform/src/once", [
          "before-images",
          "idempotency",
          "kept-answer",
          "once-audit",
          "once-table",
          "request-record",
        ]),
      ],
      tests: [
        "packages/platform/src/once/*.test.ts",
        "test/api/{idempotency,idempotency-attempts,idempotency-lock}.test.ts",
        "test/explore/found.test.ts",
      ],
    },
  ],
  [
    "access-log",
    {
      code: filesIn("packages/platform/src/access-log", [
        "access-block-table",
        "access-recorder",
        "access-writer",
      ]),
      tests: ["packages/platform/src/access-log/*.test.ts", "test/api/access-logs.test.ts"],
    },
  ],
  [
    "subjects",
    {
      code: [
        ...filesIn("packages/subjects/src", [
          "management/erase-key",
          "management/manage-data-subjects",
          "management/sweep-erasures",
          "records/due-erasure-table",
          "records/ledger",
        ]),
        ...filesIn("packages/platform/src/keys", ["find-data-subject", "subject-keys", "subject-lock"]),
      ],
      tests: [
        "packages/subjects/src/**/*.test.ts",
        "packages/platform/src/keys/subject-*.test.ts",
        "test/api/data-subjects.test.ts",
        "test/explore/{found,windows}.test.ts",
        "test/audited-writes.test.ts",
      ],
    },
  ],
  [
    "files",
    {
      code: filesIn("packages/files/src", [
        "management/manage-files",
        "management/manage-uploads",
        "management/open-file-header",
        "parts/part-sizes",
        "records/file-table",
      ]),
      tests: [
        "packages/files/src/**/*.test.ts",
        "test/api/files.test.ts",
        "test/explore/{found,uploads}.test.ts",
        "test/audited-writes.test.ts",
      ],
    },
  ],
  [
    "members",
    {
      code: [
        "packages/members/src/{roster,sessions,sign-in}/*.ts",
        "!packages/members/src/**/*.test.ts",
        "packages/platform/src/accounts/session-table.ts",
      ],
      tests: [
        "packages/members/src/**/*.test.ts",
        "packages/platform/src/accounts/session-table.test.ts",
        "test/api/{members,dropped-members,sign-in-oidc}.test.ts",
        "test/audited-writes.test.ts",
      ],
    },
  ],
  [
    "elements",
    {
      // Frames themselves run in browsers, or from what is bundled of them: Stryker sees neither.
      code: ["packages/elements/src/rules/*.ts", "!packages/elements/src/**/*.test.ts"],
      tests: ["packages/elements/src/rules/*.test.ts"],
    },
  ],
  [
    "honey",
    {
      code: ["packages/honey/src/{management,touches,values}/*.ts", "!packages/honey/src/**/*.test.ts"],
      tests: [
        "packages/honey/src/**/*.test.ts",
        "test/api/honey-tokens.test.ts",
        "test/audited-writes.test.ts",
      ],
    },
  ],
  [
    "enclave",
    {
      code: [
        "packages/enclave/src/{attestation,management,request}/*.ts",
        "!packages/enclave/src/**/*.test.ts",
      ],
      tests: [
        "packages/enclave/src/**/*.test.ts",
        "test/api/enclaves.test.ts",
        "test/audited-writes.test.ts",
      ],
    },
  ],
  [
    "relay-engine",
    {
      code: [
        "packages/relay-engine/src/{headers,message,operations,routes}/*.ts",
        "!packages/relay-engine/src/**/*.test.ts",
      ],
      tests: ["packages/relay-engine/src/**/*.test.ts", "packages/relay-proxy/src/handler/*.test.ts"],
    },
  ],
  [
    "signing",
    {
      code: [
        ...filesIn("packages/webhooks/src", [
          "signing/secret",
          "signing/sign-event",
          "records/webhook-endpoint-table",
        ]),
        ...filesIn("packages/vault/src", [
          "bound-tokens/bound-payload",
          "bound-tokens/bound-token",
          "bound-tokens/client-side-token",
          "bound-tokens/payload-hash",
        ]),
      ],
      tests: [
        "packages/webhooks/src/{management/rotate-secret,signing/secret,signing/sign-event}.test.ts",
        "packages/vault/src/bound-tokens/bound-token.test.ts",
        "test/api/client-side-tokens.test.ts",
      ],
    },
  ],
])
