import { readFile } from "node:fs/promises"
import type { AssemblyStack, CloudAssembly } from "../assembly.ts"
import { ASSETS_BUCKET, parametersOf } from "../parameters.ts"
import type { DeployedStack, DeployedStacks } from "./deployed-stacks.ts"
import { compareTemplates, type ResourceChange } from "./resource-change.ts"
import { type PolicyChange, parseTemplate, policyChanges, type Template } from "./template-policies.ts"

/** What a deployment would do with a stack. */
export interface StackChange {
  readonly stackName: string
  readonly action: "add" | "modify" | "remove"
  readonly resources: readonly ResourceChange[]
  readonly policies: readonly PolicyChange[]
  /** Why CloudFormation could not tell which resources are replaced; null when it could, or nothing can be. */
  readonly refusal: string | null
}

/** Stacks that CloudFormation compares at the same time: each takes some seconds. */
const AT_ONCE = 5
const NOTHING: Template = { Resources: {} }

/**
 * Compares a synthesized stage with what is deployed, and changes nothing.
 *
 * @returns the stacks that a deployment would add, change or remove, each after those that it depends on
 */
export async function diffStage(
  stage: string,
  { stacks, assets }: CloudAssembly,
  deployed: DeployedStacks,
): Promise<readonly StackChange[]> {
  const existing = new Map((await deployed.list(stage)).map((stack) => [stack.stackName, stack]))
  const paths = new Map(assets.map(({ key, path }) => [key, path]))
  const bucket = [...existing.values()].flatMap(({ parameters }) => parameters.get(ASSETS_BUCKET) ?? [])[0]
  const changes = new Map<string, StackChange>()
  const waiting = stacks.values()
  const compareWaiting = async () => {
    for (const stack of waiting) {
      const template = await readFile(paths.get(stack.templateKey) ?? "", "utf8")
      const change = await compare(stack, template, existing.get(stack.stackName), bucket, deployed)
      if (change !== null) changes.set(stack.stackName, change)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, compareWaiting))
  const kept = new Set(stacks.map(({ stackName }) => stackName))
  const removed = [...existing.keys()].filter((stackName) => !kept.has(stackName))
  return [
    ...stacks.flatMap(({ stackName }) => changes.get(stackName) ?? []),
    ...(await Promise.all(removed.map((stackName) => describeRemoval(stackName, deployed)))),
  ]
}

/** @returns null when nothing changes */
async function compare(
  stack: AssemblyStack,
  template: string,
  existing: DeployedStack | undefined,
  bucket: string | undefined,
  deployed: DeployedStacks,
): Promise<StackChange | null> {
  const { stackName, tags } = stack
  const wanted = parseTemplate(template)
  if (existing === undefined) {
    return {
      stackName,
      action: "add",
      resources: compareTemplates(NOTHING, wanted),
      policies: policyChanges(NOTHING, wanted),
      refusal: null,
    }
  }
  const before = await deployed.templateOf(stackName)
  if (JSON.stringify(JSON.parse(before)) === JSON.stringify(JSON.parse(template))) return null
  const old = parseTemplate(before)
  const known = new Map([
    ...existing.parameters,
    ...(bucket === undefined ? [] : [[ASSETS_BUCKET, bucket] as const]),
  ])
  const found = await deployed.changesOf({
    stackName,
    template,
    tags,
    parameters: parametersOf(stack, known),
  })
  const isRefused = typeof found === "string"
  return {
    stackName,
    action: "modify",
    policies: policyChanges(old, wanted),
    resources: isRefused ? compareTemplates(old, wanted) : found,
    refusal: isRefused ? found : null,
  }
}

async function describeRemoval(stackName: string, deployed: DeployedStacks): Promise<StackChange> {
  const before = parseTemplate(await deployed.templateOf(stackName))
  return {
    stackName,
    action: "remove",
    resources: compareTemplates(before, NOTHING),
    policies: policyChanges(before, NOTHING),
    refusal: null,
  }
}
