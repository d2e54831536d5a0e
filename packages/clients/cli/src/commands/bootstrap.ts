import { parsePlainUrl } from "@sealway/kernel"
import type { FirstKeys } from "@sealway/management"
import { encrypt } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { connect } from "../service/connect.ts"
import { parseServiceUrl, type ServiceUrl } from "../service/service-address.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS } from "../session/define-action.ts"
import type { Session } from "../session/session.ts"
import { keyLines, tokenLines } from "../stage/first-commands.ts"
import { ensureFirstKeys } from "../stage/first-keys.ts"
import { findStageOutputs } from "../stage/stage-outputs.ts"
import { formatJson } from "../terminal/format.ts"

const optionsSchema = z.object({
  stage: z.string(),
  newKeys: z.boolean().default(false),
  region: z.string().optional(),
  configTable: z.string().optional(),
  keysTable: z.string().optional(),
  auditTable: z.string().optional(),
  eventsTable: z.string().optional(),
  auditWriter: z.string().optional(),
  kmsKey: z.string().optional(),
  eventsQueueUrl: z
    .string()
    .refine((text) => parsePlainUrl(text).plain, "--events-queue-url must be a queue URL, as AWS shows it")
    .optional(),
})

export function addBootstrapCommand(program: Command, line: CommandLine): void {
  const bootstrap = program
    .command("bootstrap")
    .summary("create the first team, apps and keys of a deployment")
    .description(
      "Creates a team, a sandbox app, a production app and their keys in a stage deployed with `npx sst deploy`. The keys " +
        "are shown only once. Uses your AWS credentials to access the stage's tables and KMS key. If the team already " +
        "exists, it creates nothing.",
    )
    .requiredOption("--stage <name>", "name of the deployed stage")
    .option(
      "--new-keys",
      "issue new keys if the team already exists, for example when the first keys were lost",
    )
    .option("--region <region>", "AWS region (default for this and the next options: from .sst/outputs.json)")
    .option("--config-table <name>", "DynamoDB table of the configuration")
    .option("--keys-table <name>", "DynamoDB table of keys")
    .option("--audit-table <name>", "DynamoDB table of the audit log")
    .option("--events-table <name>", "DynamoDB table of events")
    .option("--audit-writer <name>", "function that writes the audit log")
    .option("--kms-key <arn>", "the stage's KMS key")
    .option("--events-queue-url <address>", "the SQS queue of events; needed only for webhooks")
    .addHelpText("after", "\nExample: sealway bootstrap --stage production")
  defineAction(
    line,
    bootstrap,
    { options: optionsSchema, arguments: NO_ARGUMENTS },
    async (session, { stage, newKeys, ...flags }) => {
      const { host, output, globals } = session
      const found = await findStageOutputs(host, stage, { ...flags, url: globals.url })
      const url = parseServiceUrl(found.url, "The stage's address")
      const { apps, keys } = await ensureFirstKeys(found, host.env, newKeys)
      if (output.mode === "json") output.json(formatJson({ stage, url, ...(keys ?? { ...apps, keys }) }))
      else if (keys === null) {
        if (output.mode === "quiet") output.line(apps.teamId)
        output.note(
          `Nothing to do: the stage ${stage} has the team ${apps.teamId} and the apps ${apps.appIds.join(" and ")}. Their keys were shown when they were created; use --new-keys to issue new ones.`,
        )
      } else if (output.mode === "quiet") output.line(keys.teamKey)
      else await showKeys(session, url, keys)
    },
  )
}

async function showKeys(session: Session, url: ServiceUrl, keys: FirstKeys): Promise<undefined> {
  const { output } = session
  // Before anything that can fail, because there is no other copy of the keys.
  for (const each of keyLines(url, keys)) output.line(each)
  output.note("The keys cannot be shown again: store them now.")
  for (const each of tokenLines(url, keys, await encryptSample(session, url, keys))) output.line(each)
}

/** Creates a token of the sandbox app, which also shows that the deployment works. */
async function encryptSample(
  { host, globals }: Session,
  url: ServiceUrl,
  { apps }: FirstKeys,
): Promise<string> {
  const [sandbox] = apps
  if (sandbox === undefined) throw new TypeError("There are two first apps")
  const credentials = { app: sandbox.id, key: sandbox.apiKey }
  const service = connect(host, url, credentials, globals.timeoutMs)
  return z.string().parse(await encrypt(service, { body: "4242424242424242" }))
}
