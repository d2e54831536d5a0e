import { readFile } from "node:fs/promises"
import { join } from "node:path"
import * as z from "zod"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"

/** Where `sst deploy` writes the outputs of the last deployment. */
export const OUTPUTS_FILE = join(".sst", "outputs.json")

/** The named parts of a deployed stage. */
export interface StageOutputs {
  readonly url: string
  readonly region: string
  readonly configTable: string
  readonly keysTable: string
  readonly auditTable: string
  readonly eventsTable: string
  /** The function that writes to the table of the audit log. */
  readonly auditWriter: string
  readonly kmsKey: string
  /** Undefined when it was not given; needed to notify webhooks of a change. */
  readonly eventsQueueUrl?: string | undefined
}

const outputsSchema = z.object({
  stage: z.string(),
  region: z.string(),
  Url: z.string(),
  ConfigTable: z.string(),
  KeysTable: z.string(),
  AuditTable: z.string(),
  EventsTable: z.string(),
  AuditWriter: z.string(),
  KmsKey: z.string(),
  EventsQueueUrl: z.string().optional(),
})

const FLAGS =
  "--url, --region, --config-table, --keys-table, --audit-table, --events-table, --audit-writer and --kms-key"

/**
 * Finds the parts of a stage: from flags if all are given, else from the outputs of the last `sst deploy` in this
 * folder, with flags taking precedence.
 *
 * @throws UsageFailure when something is in neither, or the last deployment was of another stage
 */
export async function findStageOutputs(
  { folder }: CliHost,
  stage: string,
  flags: { readonly [Name in keyof StageOutputs]?: StageOutputs[Name] | undefined },
): Promise<StageOutputs> {
  const { url, region, configTable, keysTable, auditTable, eventsTable, auditWriter, kmsKey } = flags
  const { eventsQueueUrl } = flags
  const given = { url, region, configTable, keysTable, auditTable, eventsTable, auditWriter, kmsKey }
  if (isComplete(given)) return { ...given, eventsQueueUrl }

  const told = await readOutputs(folder)
  if (told.stage !== stage) {
    throw new UsageFailure(
      `${OUTPUTS_FILE} belongs to the stage ${told.stage}, the last one deployed from this folder. Deploy ${stage} again, or pass ${FLAGS}.`,
    )
  }
  return {
    url: url ?? told.Url,
    region: region ?? told.region,
    configTable: configTable ?? told.ConfigTable,
    keysTable: keysTable ?? told.KeysTable,
    auditTable: auditTable ?? told.AuditTable,
    eventsTable: eventsTable ?? told.EventsTable,
    auditWriter: auditWriter ?? told.AuditWriter,
    kmsKey: kmsKey ?? told.KmsKey,
    eventsQueueUrl: eventsQueueUrl ?? told.EventsQueueUrl,
  }
}

type RequiredOutputs = Omit<StageOutputs, "eventsQueueUrl">

function isComplete(
  outputs: { readonly [Name in keyof RequiredOutputs]: string | undefined },
): outputs is RequiredOutputs {
  return Object.values(outputs).every((value) => value !== undefined)
}

async function readOutputs(folder: string): Promise<z.infer<typeof outputsSchema>> {
  let text: string
  try {
    text = await readFile(join(folder, OUTPUTS_FILE), "utf8")
  } catch (error) {
    throw new UsageFailure(
      `There is no ${OUTPUTS_FILE} here. Run this in the folder where you ran \`npx sst deploy\`, or pass ${FLAGS}.`,
      { cause: error },
    )
  }
  try {
    return outputsSchema.parse(JSON.parse(text))
  } catch (error) {
    throw new UsageFailure(`${OUTPUTS_FILE} is incomplete. Deploy the stage again.`, { cause: error })
  }
}
