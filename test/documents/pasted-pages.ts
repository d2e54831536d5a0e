/** Pages whose `sh` blocks a test pastes into a shell, one after another, and that test. */
export const PASTED_PAGES: ReadonlyMap<string, string> = new Map([
  ["README.md", "test/start/documents.test.ts"],
  ["docs/cli.md", "test/cli/program.test.ts"],
  ["docs/client-side-tokens.md", "test/start/documents.test.ts"],
  ["docs/data-roles.md", "test/start/documents.test.ts"],
  ["docs/data-policies.md", "test/start/documents.test.ts"],
  ["docs/data-subjects.md", "test/start/documents.test.ts"],
  ["docs/encrypt-and-decrypt.md", "test/start/documents.test.ts"],
  ["docs/functions.md", "test/functions/documents.test.ts"],
  ["docs/formats.md", "test/start/documents.test.ts"],
  ["docs/honey-tokens.md", "test/start/documents.test.ts"],
  ["docs/members.md", "test/start/documents.test.ts"],
  ["docs/payments.md", "test/start/documents.test.ts"],
  ["docs/relay.md", "test/start/documents.test.ts"],
  ["docs/running-locally.md", "test/start/documents.test.ts"],
  ["docs/teams-and-keys.md", "test/start/documents.test.ts"],
  ["docs/webhooks.md", "test/start/documents.test.ts"],
])
