/** A command that is shown and that no test runs, with the reason. Its name and its flags are still checked. */
export interface NotRun {
  /** The whole command, as the pages show it, or a pattern for all of a kind. */
  readonly command: string | RegExp
  readonly reason: string
}

export const NOT_RUN: readonly NotRun[] = [
  {
    command: /^(?:npx )?sealway bootstrap /,
    reason: "needs an AWS account; test/cli/bootstrap.test.ts runs it",
  },
  {
    command: /^(?:npx sealway )?webhooks replay /,
    reason: "needs an event that failed for ten hours; test/cli/webhooks.test.ts runs it",
  },
  {
    command: /^(?:npx )?sealway functions delete-run /,
    reason: "needs a run that has ended; test/cli/functions.test.ts runs it",
  },
  {
    command: /^(?:npx )?sealway files upload .* --resume /,
    reason: "needs an upload that was interrupted; test/cli/files.test.ts runs it",
  },
  {
    command: /^(?:npx )?(?:sealway )?connectors (?:set|rotate-secret) /,
    reason: "needs a connector; test/cli/connectors.test.ts runs it",
  },
  {
    command: /^(?:npx )?sealway audit verify --folder /,
    reason: "needs a folder that a stage has exported; test/cli/audit.test.ts runs it",
  },
  { command: /^(?:npx )?sst /, reason: "needs an AWS account" },
  { command: /^aws /, reason: "needs an AWS account" },
  { command: /docker (?:build|push|buildx|login|compose) ?/, reason: "needs Docker and a registry" },
  { command: /^npm (?:ci|install)\b/, reason: "changes what is installed" },
  { command: /^(?:npm ci|pip install --target)\b/, reason: "is run by `sealway functions deploy`" },
  { command: /^(?:\w+=\S+ |JSONPATH_CTS=<.*> )*npm test\b/, reason: "would run this suite within itself" },
  { command: /^(?:\w+=\S+ )*npm run test:(?:apart|browser)\b/, reason: "is run by .ci/run" },
  { command: /^npm run (?:check:stacks|test:emulator)( -- --install)?$/, reason: "is run by .ci/run" },
  { command: /^npm run empty-stage\b/, reason: "needs an AWS account; npm run test:emulator runs it" },
  {
    command: /^npm run stage -- (?:diff|upload-dashboard)\b/,
    reason: "needs an AWS account; npm run test:emulator runs what it does",
  },
  {
    command: /^(?:npx aws-cdk@2|cdk) /,
    reason: "needs an AWS account; test/infra/assembly/cdk.ts runs the app that it runs",
  },
  { command: "npm run check", reason: "is run by .ci/run" },
  { command: "npm run dashboard", reason: "serves until it is stopped" },
  { command: "npm run fix", reason: "changes files" },
  {
    command: "npm run generate:examples",
    reason:
      "writes the examples of the OpenAPI document, in which test/api/openapi-document.test.ts misses none",
  },
  {
    command: "npm run generate:sdk",
    reason: "changes files; test/sdk/generated-core.test.ts holds them to its result",
  },
  {
    command: "npm run generate:frames",
    reason: "changes files; test/elements/frame-scripts.test.ts holds them to its result",
  },
  { command: /^npm run build:agent\b/, reason: "test/enclave-agent.test.ts builds it in another folder" },
  { command: /^(?:nitro-cli|vsock-proxy) /, reason: "needs an instance of AWS with Nitro Enclaves" },
  { command: "npm run build:sdk", reason: "test/sdk/package.test.ts builds it in another folder" },
  {
    command: /^npm (?:pack|publish) .*packages\/clients\/sdk\/dist$/,
    reason: "publishes; test/sdk/package.test.ts packs the same",
  },
  { command: "npm run update-reference", reason: "needs a registry" },
  { command: /^npm run (?:bench|explore|mutate|torture)\b(?!.*--help)/, reason: "takes minutes" },
  { command: /^npm run (?:--silent )?sbom\b/, reason: "is run by test/release/sbom.test.ts" },
  {
    command: /^npm run set-version /,
    reason: "changes files; test/release/set-version.test.ts runs it on copies",
  },
  {
    command: /^(?:CDK_VALIDATION=false )?node scripts\/run\.mjs test\/upgrade\/make-/,
    reason: "makes what test/upgrade compares with",
  },
  {
    command: "node scripts/run.mjs scripts/scale-and-cost.ts",
    reason: "takes minutes; test/infra/scale-and-cost.test.ts runs its parts",
  },
  {
    command: "node scripts/run.mjs scripts/stage-size.ts",
    reason: "synthesizes stages; test/infra/stacks/stage-size.ts runs its parts",
  },
  { command: "node examples/relay/echo-server.mjs", reason: "is run by test/start/documents.test.ts" },
  { command: "node examples/checkout/start.mjs", reason: "is run by test/payments/checkout-example.test.ts" },
  {
    command: "node scripts/run.mjs examples/sdk/express-server.mjs",
    reason: "is run by test/sdk/examples.test.ts",
  },
  { command: /^cd /, reason: "changes the folder" },
  { command: /^terraform /, reason: "is only compared with" },
  { command: "npm audit signatures", reason: "needs the registry; .ci/run runs it where that answers" },
  { command: "bash .ci/run", reason: "would run this suite within itself" },
  { command: "node -e 0", reason: "is only measured" },
  { command: "node --permission", reason: "names a flag; test/lambda tests what it does" },
  { command: "curl -u app_…:swk_…", reason: "is part of a command" },
  { command: "curl --proxy-anyauth", reason: "is part of a command" },
  { command: /^git (?:clone|pull|checkout|tag|push)\b/, reason: "changes the repository" },
  {
    command: "python3 packages/core/tokens/vectors/check_vectors.py",
    reason: "is run by packages/core/tokens/src/symmetric-vectors.test.ts, if Python has its package",
  },
  {
    command: /^(?:python3 -m venv |\S+\/bin\/pip install |pip install sealway$)/,
    reason: "needs the network",
  },
  {
    command: "python3 -m build clients/python",
    reason: "is run by test/sdk/python.test.ts, if Python has it",
  },
  { command: /^apt-get install /, reason: "installs programs" },
  { command: /^curl -fO https:\/\/nodejs\.org\//, reason: "needs the network" },
  { command: /^(?:shasum|codesign) /, reason: "needs what was fetched, or a Mac" },
  { command: /^dig \+short </, reason: "asks the public DNS" },
  { command: /^openssl s_client -connect </, reason: "needs a deployment" },
]
