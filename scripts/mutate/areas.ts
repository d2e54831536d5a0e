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
        "packages/core/tokens/src/**/*.ts",
        "!packages/core/tokens/src/**/*.test.ts",
        "!packages/core/tokens/src/testing/**",
      ],
      tests: ["packages/core/tokens/src/**/*.test.ts"],
    },
  ],
  [
    "policies",
    {
      code: filesIn("packages/service/policies/src", [
        "deciding/budget-window",
        "deciding/budgets",
        "rules/ip-address",
        "rules/local-time",
      ]),
      tests: [
        "packages/service/policies/src/{deciding/budgets,deciding/decisions-under-budgets,rules/ip-address,rules/local-time}.test.ts",
      ],
    },
  ],
  [
    "vault",
    {
      code: [
        "packages/core/kernel/src/card-number.ts",
        ...filesIn("packages/service/vault/src", [
          "documents/decrypt-json",
          "values/fingerprint",
          "documents/json-tokens",
          "documents/open-tokens",
          "values/token-opener",
        ]),
      ],
      tests: [
        "packages/core/kernel/src/card-number.test.ts",
        "packages/service/vault/src/**/*.test.ts",
        "test/api/{decrypt,decrypt-policies,fingerprint,keys}.test.ts",
      ],
    },
  ],
  [
    "runs",
    {
      code: filesIn("packages/service/functions/src", [
        "runs/attempt-run",
        "runs/complete-run",
        "runs/delay-run",
        "queue/requeue-function-work",
        "records/run",
        "runs/work-run",
      ]),
      tests: [
        "packages/service/functions/src/{records/run,runs/run-outcomes,runs/work-run,runs/work-run-steps}.test.ts",
      ],
    },
  ],
  [
    "payments",
    {
      code: [
        ...filesIn("packages/service/bins/src/bins", ["append-rows", "match-rows", "row-order"]),
        ...filesIn("packages/service/payments/src/enrolments", [
          "apply-news",
          "ask-network",
          "enrolment",
          "keep-enrolled",
          "requeue-enrolments",
          "tell-change",
          "work-enrolments",
        ]),
      ],
      tests: [
        "packages/service/bins/src/bins/*.test.ts",
        "packages/service/payments/src/{enrolments,workers}/*.test.ts",
      ],
    },
  ],
  [
    "three-d-secure",
    {
      code: filesIn("packages/service/payments/src/three-d-secure-sessions", [
        "browser/take-part",
        "steps/receive-results",
        "steps/session-steps",
        "steps/work-sessions",
      ]),
      tests: [
        "packages/service/payments/src/three-d-secure-sessions/**/*.test.ts",
        "test/payments/three-d-secure-sessions.test.ts",
      ],
    },
  ],
  [
    "once",
    {
      code: [
        ...filesIn("packages/service/http/src/once", [
          "before-images",
          "idempotency",
          "kept-answer",
          "once-audit",
          "once-table",
          "request-record",
        ]),
      ],
      tests: [
        "packages/service/http/src/once/*.test.ts",
        "test/api/{idempotency,idempotency-attempts,idempotency-lock}.test.ts",
        "test/explore/found.test.ts",
      ],
    },
  ],
  [
    "access-log",
    {
      code: filesIn("packages/service/records/src/access-log", [
        "access-block-table",
        "access-recorder",
        "access-writer",
      ]),
      tests: ["packages/service/records/src/access-log/*.test.ts", "test/api/access-logs.test.ts"],
    },
  ],
  [
    "subjects",
    {
      code: [
        ...filesIn("packages/service/subjects/src", [
          "management/erase-key",
          "management/manage-data-subjects",
          "management/sweep-erasures",
          "records/due-erasure-table",
          "records/ledger",
        ]),
        ...filesIn("packages/service/keys/src/keyring", [
          "find-data-subject",
          "subject-keys",
          "subject-lock",
        ]),
      ],
      tests: [
        "packages/service/subjects/src/**/*.test.ts",
        "packages/service/keys/src/keyring/subject-*.test.ts",
        "test/api/data-subjects.test.ts",
        "test/explore/{found,windows}.test.ts",
        "test/audited-writes.test.ts",
      ],
    },
  ],
  [
    "files",
    {
      code: filesIn("packages/service/files/src", [
        "management/manage-files",
        "management/manage-uploads",
        "management/open-file-header",
        "parts/part-sizes",
        "records/file-table",
      ]),
      tests: [
        "packages/service/files/src/**/*.test.ts",
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
        "packages/service/members/src/{roster,sessions,sign-in}/*.ts",
        "!packages/service/members/src/**/*.test.ts",
        "packages/service/accounts/src/accounts/session-table.ts",
      ],
      tests: [
        "packages/service/members/src/**/*.test.ts",
        "packages/service/accounts/src/accounts/session-table.test.ts",
        "test/api/{members,dropped-members,sign-in-oidc}.test.ts",
        "test/audited-writes.test.ts",
      ],
    },
  ],
  [
    "elements",
    {
      // Frames themselves run in browsers, or from what is bundled of them: Stryker sees neither.
      code: ["packages/clients/elements/src/rules/*.ts", "!packages/clients/elements/src/**/*.test.ts"],
      tests: ["packages/clients/elements/src/rules/*.test.ts"],
    },
  ],
  [
    "formats",
    {
      code: [
        "packages/core/format-cipher/src/**/*.ts",
        "packages/service/formats/src/{management,values}/*.ts",
        "!packages/*/*/src/**/*.test.ts",
      ],
      tests: ["packages/core/format-cipher/src/**/*.test.ts", "test/api/formats.test.ts"],
    },
  ],
  [
    "honey",
    {
      code: [
        "packages/service/honey/src/{management,touches,values}/*.ts",
        "!packages/service/honey/src/**/*.test.ts",
      ],
      tests: [
        "packages/service/honey/src/**/*.test.ts",
        "test/api/honey-tokens.test.ts",
        "test/audited-writes.test.ts",
      ],
    },
  ],
  [
    "enclave",
    {
      code: [
        "packages/service/enclave/src/{attestation,management,request}/*.ts",
        "!packages/service/enclave/src/**/*.test.ts",
      ],
      tests: [
        "packages/service/enclave/src/**/*.test.ts",
        "test/api/enclaves.test.ts",
        "test/audited-writes.test.ts",
      ],
    },
  ],
  [
    "relay-engine",
    {
      code: [
        "packages/core/relay-engine/src/{headers,message,operations,routes}/*.ts",
        "!packages/core/relay-engine/src/**/*.test.ts",
      ],
      tests: [
        "packages/core/relay-engine/src/**/*.test.ts",
        "packages/hosts/relay-proxy/src/handler/*.test.ts",
      ],
    },
  ],
  [
    "signing",
    {
      code: [
        ...filesIn("packages/service/webhooks/src", [
          "signing/secret",
          "signing/sign-event",
          "records/webhook-endpoint-table",
        ]),
        ...filesIn("packages/service/vault/src", [
          "bound-tokens/bound-payload",
          "bound-tokens/bound-token",
          "bound-tokens/client-side-token",
          "bound-tokens/payload-hash",
        ]),
      ],
      tests: [
        "packages/service/webhooks/src/{management/rotate-secret,signing/secret,signing/sign-event}.test.ts",
        "packages/service/vault/src/bound-tokens/bound-token.test.ts",
        "test/api/client-side-tokens.test.ts",
      ],
    },
  ],
])
