import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import {
  type Change,
  CloudFormationClient,
  CreateChangeSetCommand,
  DeleteChangeSetCommand,
  DescribeChangeSetCommand,
  GetTemplateCommand,
  paginateDescribeStacks,
} from "@aws-sdk/client-cloudformation"
import { DeleteObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3"
import { STAGE_TAG } from "@sealway/ports"
import { ASSETS_BUCKET } from "../parameters.ts"
import type { ResourceChange } from "./resource-change.ts"

/** A stack in the account. */
export interface DeployedStack {
  readonly stackName: string
  /** Its values, by name. */
  readonly parameters: ReadonlyMap<string, string>
}

/** What a stack would become. */
export interface WantedStack {
  readonly stackName: string
  readonly template: string
  readonly parameters: Readonly<Record<string, string>>
  readonly tags: Readonly<Record<string, string>>
}

/** The stacks of a stage, as they are deployed. */
export interface DeployedStacks {
  /** Lists them by their tag. */
  list(stage: string): Promise<readonly DeployedStack[]>
  /** Returns the template of one. */
  templateOf(stackName: string): Promise<string>
  /**
   * Asks CloudFormation what would become of one, and changes nothing.
   *
   * @returns why CloudFormation cannot tell, as a text, when it refuses: for example because another stack must be deployed first
   */
  changesOf(wanted: WantedStack): Promise<readonly ResourceChange[] | string>
}

/** CloudFormation's limit for a template that is not in S3. */
const MAX_TEMPLATE_BYTES = 51_200
const POLL_MS = 1_000
const CHANGE_SET_MS = 5 * 60_000
/** The status of a stack that somebody began to create by a change set. */
const CHANGE_SET_ONLY = "REVIEW_IN_PROGRESS"
/** How CloudFormation fails for a change set that changes nothing. */
const NO_CHANGES = /didn't contain changes|No updates are to be performed/

/**
 * Connects to the CloudFormation of the account of the credentials that the AWS CLI would use.
 *
 * @param endpoint where AWS is, when not at its usual place
 */
export function connectStacks(region: string, endpoint?: string): DeployedStacks {
  const config = { region, ...(endpoint !== undefined && { endpoint }) }
  const client = new CloudFormationClient(config)
  const s3 = new S3Client({ ...config, forcePathStyle: endpoint !== undefined })
  return {
    async list(stage) {
      const found: DeployedStack[] = []
      for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {})) {
        for (const { StackName = "", Parameters = [], Tags = [], StackStatus = "" } of Stacks) {
          const isOfStage = Tags.some(({ Key, Value }) => Key === STAGE_TAG && Value === stage)
          if (!isOfStage || StackStatus === CHANGE_SET_ONLY) continue
          const parameters = Parameters.map(
            ({ ParameterKey = "", ParameterValue = "" }) => [ParameterKey, ParameterValue] as const,
          )
          found.push({ stackName: StackName, parameters: new Map(parameters) })
        }
      }
      return found
    },
    async templateOf(StackName) {
      const { TemplateBody = "" } = await client.send(
        new GetTemplateCommand({ StackName, TemplateStage: "Original" }),
      )
      return TemplateBody
    },
    async changesOf(wanted) {
      const { stackName: StackName, template, parameters, tags } = wanted
      const ChangeSetName = `sealway-diff-${randomUUID()}`
      const bucket = parameters[ASSETS_BUCKET]
      const isLarge = Buffer.byteLength(template) > MAX_TEMPLATE_BYTES
      if (isLarge && bucket === undefined)
        return "Its template is large, and it has no bucket to upload it to."
      const object = { Bucket: bucket, Key: `${ChangeSetName}.template.json` }
      if (isLarge) await s3.send(new PutObjectCommand({ ...object, Body: template }))
      try {
        await client.send(
          new CreateChangeSetCommand({
            StackName,
            ChangeSetName,
            ChangeSetType: "UPDATE",
            ...(isLarge
              ? { TemplateURL: `${endpoint ?? `https://s3.${region}.amazonaws.com`}/${bucket}/${object.Key}` }
              : { TemplateBody: template }),
            Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({
              ParameterKey,
              ParameterValue,
            })),
            Capabilities: ["CAPABILITY_NAMED_IAM"],
            Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
          }),
        )
        return await readChanges(client, StackName, ChangeSetName)
      } catch (error) {
        if (error instanceof Error && error.name === "ValidationError") return error.message
        throw error
      } finally {
        await client.send(new DeleteChangeSetCommand({ StackName, ChangeSetName })).catch(() => undefined)
        if (isLarge) await s3.send(new DeleteObjectCommand(object))
      }
    },
  }
}

/** Waits for a change set. @returns its changes, or why it has none */
async function readChanges(
  client: CloudFormationClient,
  StackName: string,
  ChangeSetName: string,
): Promise<readonly ResourceChange[] | string> {
  const deadline = Date.now() + CHANGE_SET_MS
  const found: Change[] = []
  for (let NextToken: string | undefined; ; ) {
    const page = await client.send(new DescribeChangeSetCommand({ StackName, ChangeSetName, NextToken }))
    const { Status, StatusReason = "", Changes = [] } = page
    if (Status === "FAILED") return NO_CHANGES.test(StatusReason) ? [] : StatusReason
    if (Status === "CREATE_COMPLETE") {
      found.push(...Changes)
      NextToken = page.NextToken
      if (NextToken === undefined) return found.map(toResourceChange)
    } else {
      if (Date.now() > deadline) return "CloudFormation took more than five minutes to compare."
      await sleep(POLL_MS)
    }
  }
}

const ACTIONS: Readonly<Record<string, ResourceChange["action"]>> = {
  Add: "add",
  Modify: "modify",
  Remove: "remove",
}
const REPLACEMENTS: Readonly<Record<string, ResourceChange["isReplaced"]>> = {
  True: true,
  False: false,
  Conditional: "unknown",
}

function toResourceChange({ ResourceChange: change = {} }: Change): ResourceChange {
  const { Action = "", LogicalResourceId = "", ResourceType = "", Replacement = "False" } = change
  return {
    action: ACTIONS[Action] ?? "modify",
    logicalId: LogicalResourceId,
    type: ResourceType,
    isReplaced: REPLACEMENTS[Replacement] ?? "unknown",
  }
}
