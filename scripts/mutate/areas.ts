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
      code: filesIn("packages/policies/src", ["budget-window", "budgets", "ip-address", "local-time"]),
      tests: ["packages/policies/src/{budgets,decisions-under-budgets,ip-address,local-time}.test.ts"],
    },
  ],
  [
    "vault",
    {
      code: [
        "packages/kernel/src/card-number.ts",
        ...filesIn("packages/vault/src", [
          "decrypt-json",
          "fingerprint",
          "json-tokens",
          "open-tokens",
          "token-opener",
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
      code: filesIn("packages/functions/src", ["complete-run", "requeue-function-work", "run", "work-run"]),
      tests: ["packages/functions/src/{run,run-outcomes,work-run,work-run-steps}.test.ts"],
    },
  ],
  [
    "signing",
    {
      code: [
        ...filesIn("packages/webhooks/src", ["secret", "sign-event", "webhook-endpoint"]),
        ...filesIn("packages/vault/src", [
          "bound-payload",
          "bound-token",
          "client-side-token",
          "payload-hash",
        ]),
      ],
      tests: [
        "packages/webhooks/src/{rotate-secret,secret,sign-event}.test.ts",
        "packages/vault/src/bound-token.test.ts",
        "test/api/client-side-tokens.test.ts",
      ],
    },
  ],
])
