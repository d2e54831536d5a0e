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
      code: filesIn("packages/payments/src", [
        "bins/append-rows",
        "bins/match-rows",
        "bins/row-order",
        "enrolments/apply-news",
        "enrolments/ask-network",
        "enrolments/enrolment",
        "enrolments/keep-enrolled",
        "enrolments/requeue-enrolments",
        "enrolments/tell-change",
        "enrolments/work-enrolments",
      ]),
      tests: ["packages/payments/src/{bins,enrolments,workers}/*.test.ts"],
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
