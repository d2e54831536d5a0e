import type { Stack } from "@pulumi/aws/cloudformation/index.js"
import type { Input, Output } from "@pulumi/pulumi"
import { resolveStage } from "../stacks/config.ts"
import { type AssemblyStack, type CloudAssembly, readAssembly } from "./assembly.ts"
import { createAssetsBucket } from "./assets-bucket.ts"
import { createQuotaClient, requireReservable } from "./lambda-quota.ts"
import { ASSETS_BUCKET, parametersOf } from "./parameters.ts"
import { protectingPolicy } from "./stack-policy.ts"
import { type SynthesisOptions, synthesize } from "./synth.ts"
import { uploadFiles } from "./upload-files.ts"

/** The outputs of stacks: name to value. */
export type Outputs = Record<string, Input<string>>

/** DynamoDB and KMS take a while, and CloudFront longer; Pulumi's own default is 30 minutes. */
const TIMEOUT = "90m"

/**
 * Synthesizes a stage's stacks, uploads what they need and registers them with SST, which deploys them.
 *
 * @returns the stacks' outputs, with the stage and its region
 * @throws Error saying what cannot be published, before anything is registered
 */
export async function publish(options: SynthesisOptions): Promise<Outputs> {
  const config = resolveStage(options.stage)
  const { stage, region, isProtected } = config
  await requireReservable(config, createQuotaClient(region, options.environment))
  const assembly = await readAssembly(await synthesize({ ...options, stage }))
  requireRegion(assembly, region)
  return { stage, region, ...register(stage, assembly, isProtected) }
}

function register(stage: string, { stacks, uploads, assets }: CloudAssembly, isProtected: boolean): Outputs {
  const owners = outputOwners(stacks)
  const known = new Map([[ASSETS_BUCKET, null]])
  for (const stack of stacks) parametersOf(stack, known)

  const { bucket, contents } = createAssetsBucket(stage, assets, isProtected)
  const values = new Map<string, Input<string>>([[ASSETS_BUCKET, bucket.bucket]])
  const registered = new Map<string, Stack>()
  for (const stack of stacks) {
    const before = stack.dependencies.flatMap((id) => registered.get(id) ?? [])
    registered.set(
      stack.id,
      new aws.cloudformation.Stack(
        stack.id,
        {
          name: stack.stackName,
          templateUrl: $interpolate`https://${bucket.bucketRegionalDomainName}/${stack.templateKey}`,
          parameters: parametersOf(stack, values),
          capabilities: ["CAPABILITY_NAMED_IAM"],
          tags: stack.tags,
          ...(isProtected && { policyBody: protectingPolicy() }),
        },
        {
          dependsOn: [...contents, ...before],
          customTimeouts: { create: TIMEOUT, update: TIMEOUT, delete: TIMEOUT },
          retainOnDelete: isProtected,
        },
      ),
    )
  }
  for (const { stackId, bucketOutput, files } of uploads) {
    const stack = registered.get(stackId)
    if (stack !== undefined) uploadFiles(outputOf(stack.outputs, bucketOutput, stackId), files, stack)
  }
  const outputs: Outputs = {}
  for (const [name, { id }] of owners) {
    const stack = registered.get(id)
    if (stack !== undefined) outputs[name] = outputOf(stack.outputs, name, id)
  }
  return outputs
}

function outputOf(outputs: Output<Record<string, string>>, name: string, id: string): Output<string> {
  return outputs.apply((values) => {
    const value = values[name]
    if (value === undefined)
      throw new Error(`The stack ${id} declares the output ${name} but did not return it.`)
    return value
  })
}

/** @throws Error when two stacks have an output of the same name */
function outputOwners(stacks: readonly AssemblyStack[]): ReadonlyMap<string, AssemblyStack> {
  const owners = new Map<string, AssemblyStack>()
  for (const stack of stacks) {
    for (const name of stack.outputs) {
      const other = owners.get(name)
      if (other !== undefined)
        throw new Error(`The stacks ${other.id} and ${stack.id} both have the output ${name}.`)
      owners.set(name, stack)
    }
  }
  return owners
}

function requireRegion({ stacks }: CloudAssembly, wanted: string): void {
  for (const { id, region } of stacks) {
    if (region !== null && region !== wanted) {
      throw new Error(`The stack ${id} is for ${region}, but the stage is in ${wanted}.`)
    }
  }
}
