import { readFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  UpdateStackCommand,
} from "@aws-sdk/client-cloudformation"
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3"
import { type AssemblyStack, type CloudAssembly, readAssembly } from "../../infra/assembly.ts"
import { ASSETS_BUCKET, parametersOf } from "../../infra/parameters.ts"
import { type Stripping, stripTemplate } from "./strip-template.ts"

/** Where the assets of all stacks are. */
export const EMULATOR_BUCKET = "sealway-assets"
const POLL_MS = 200
const STACK_MS = 5 * 60_000

export interface EmulatedStage {
  readonly stacks: readonly AssemblyStack[]
  /** Outputs of all stacks, by name. */
  readonly outputs: ReadonlyMap<string, string>
  /**
   * Deletes the stacks, each before those that it depends on.
   *
   * @throws Error naming the one that CloudFormation keeps
   */
  remove(): Promise<void>
}

/** How clients find the emulator. */
export interface EmulatorConfig {
  readonly region: string
  readonly endpoint: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

export interface DeploymentOptions {
  readonly config: EmulatorConfig
  readonly stripping: Stripping
  readonly report: (line: string) => void
}

/**
 * Deploys a cloud assembly as `infra/publish.ts` does: assets first, then each stack after those that it needs. Stacks that
 * exist are updated.
 */
export async function deployAssembly(
  folder: string,
  { config, stripping, report }: DeploymentOptions,
): Promise<EmulatedStage> {
  const assembly = await readAssembly(folder)
  const client = new CloudFormationClient(config)
  const s3 = new S3Client({ ...config, forcePathStyle: true })
  await upload(assembly, s3, stripping)
  const outputs = new Map<string, string>()
  for (const stack of assembly.stacks) {
    const found = await deployStack(stack, client, config.endpoint)
    for (const name of stack.outputs) outputs.set(name, found.get(name) ?? "")
    report(`  ${stack.stackName}`)
  }
  return {
    stacks: assembly.stacks,
    outputs,
    async remove() {
      for (const { stackName } of assembly.stacks.toReversed()) {
        await client.send(new DeleteStackCommand({ StackName: stackName }))
        const status = await settle(client, stackName)
        if (status !== null && status.name !== "DELETE_COMPLETE") {
          throw new Error(`${stackName} is ${status.name}: ${await reasonsOf(client, stackName)}`)
        }
      }
    },
  }
}

async function upload({ assets, stacks }: CloudAssembly, s3: S3Client, stripping: Stripping): Promise<void> {
  const templates = new Set(stacks.map(({ templateKey }) => templateKey))
  await s3
    .send(new CreateBucketCommand({ Bucket: EMULATOR_BUCKET }))
    .catch(unless(/^BucketAlreadyOwnedByYou/))
  for (const { key, path } of assets) {
    const bytes = await readFile(path)
    const Body = templates.has(key) ? JSON.stringify(stripTemplate(String(bytes), stripping)) : bytes
    await s3.send(new PutObjectCommand({ Bucket: EMULATOR_BUCKET, Key: key, Body }))
  }
}

async function deployStack(
  stack: AssemblyStack,
  client: CloudFormationClient,
  endpoint: string,
): Promise<ReadonlyMap<string, string>> {
  const { stackName, templateKey, tags } = stack
  const parameters = parametersOf(stack, new Map([[ASSETS_BUCKET, EMULATOR_BUCKET]]))
  const input = {
    StackName: stackName,
    TemplateURL: `${endpoint}/${EMULATOR_BUCKET}/${templateKey}`,
    Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({
      ParameterKey,
      ParameterValue,
    })),
    Capabilities: ["CAPABILITY_NAMED_IAM" as const],
    Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
  }
  const isThere = (await settle(client, stackName)) !== null
  if (!isThere) await client.send(new CreateStackCommand(input))
  else await client.send(new UpdateStackCommand(input)).catch(unless(NO_CHANGES))
  const status = await settle(client, stackName)
  if (!/^(CREATE|UPDATE)_COMPLETE$/.test(status?.name ?? "")) {
    throw new Error(`${stackName} is ${status?.name ?? "gone"}: ${await reasonsOf(client, stackName)}`)
  }
  return status?.outputs ?? new Map()
}

/** What CloudFormation says of a stack that nothing changes. */
const NO_CHANGES = /^ValidationError: No updates/

/** Returns what swallows errors like `<name>: <message>`. */
function unless(expected: RegExp): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error && expected.test(`${error.name}: ${error.message}`))) throw error
  }
}

/** @returns null when the stack no longer exists */
async function settle(
  client: CloudFormationClient,
  StackName: string,
): Promise<{ readonly name: string; readonly outputs: ReadonlyMap<string, string> } | null> {
  const deadline = Date.now() + STACK_MS
  for (;;) {
    const answer = await client.send(new DescribeStacksCommand({ StackName })).catch((error: unknown) => {
      if (error instanceof Error && error.name === "ValidationError") return null
      throw error
    })
    const [stack] = answer?.Stacks ?? []
    if (stack === undefined) return null
    const { StackStatus: name = "", Outputs = [] } = stack
    if (!name.endsWith("_IN_PROGRESS")) {
      return {
        name,
        outputs: new Map(Outputs.map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue])),
      }
    }
    if (Date.now() > deadline) throw new Error(`${StackName} takes too long.`)
    await sleep(POLL_MS)
  }
}

async function reasonsOf(client: CloudFormationClient, StackName: string): Promise<string> {
  const { StackEvents = [] } = await client.send(new DescribeStackEventsCommand({ StackName }))
  return StackEvents.filter(({ ResourceStatus = "" }) => ResourceStatus.endsWith("_FAILED"))
    .map(({ LogicalResourceId, ResourceStatusReason }) => `${LogicalResourceId}: ${ResourceStatusReason}`)
    .join("; ")
}
