import * as z from "zod"

const templateSchema = z.object({
  Resources: z
    .record(
      z.string(),
      z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
    )
    .default({}),
})

export type Template = z.infer<typeof templateSchema>

/** A statement of a policy that one template has and another has not. */
export interface PolicyChange {
  readonly isAdded: boolean
  /** The resource that has the policy. */
  readonly logicalId: string
  /** `Allow kms:Decrypt on StageKey.Arn` */
  readonly statement: string
}

/** @throws Error when a text is no template of CloudFormation in JSON */
export function parseTemplate(text: string): Template {
  return templateSchema.parse(JSON.parse(text))
}

/**
 * Compares what templates allow: the statements of all policies, permissions to call functions, and the managed policies of
 * roles. Those that are removed come first.
 */
export function policyChanges(before: Template, after: Template): readonly PolicyChange[] {
  const [old, wanted] = [statementsOf(before), statementsOf(after)]
  const onlyIn = (some: readonly OwnStatement[], others: readonly OwnStatement[]) => {
    const known = new Set(others.map(({ key }) => key))
    return some.filter(({ key }) => !known.has(key))
  }
  const told = (isAdded: boolean) => (found: OwnStatement) => ({
    isAdded,
    logicalId: found.logicalId,
    statement: found.statement,
  })
  return [...onlyIn(old, wanted).map(told(false)), ...onlyIn(wanted, old).map(told(true))]
}

interface OwnStatement {
  readonly logicalId: string
  readonly statement: string
  readonly key: string
}

function statementsOf({ Resources }: Template): readonly OwnStatement[] {
  return Object.entries(Resources).flatMap(([logicalId, { Type, Properties }]) => {
    const found =
      Type === "AWS::Lambda::Permission" ? [describePermission(Properties)] : statementsIn(Properties)
    return found.map((statement) => ({ logicalId, statement, key: `${logicalId} ${statement}` }))
  })
}

/** Finds the statements of policies anywhere in a value. */
function statementsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(statementsIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, each]) => {
    if (name === "Statement") return [each].flat().map(describeStatement)
    if (name === "ManagedPolicyArns") return [each].flat().map((arn) => `Attached ${textOf(arn)}`)
    return statementsIn(each)
  })
}

function describeStatement(statement: unknown): string {
  if (!isObject(statement)) return JSON.stringify(statement)
  const { Effect, Sid: _, Condition, ...rest } = statement
  const parts = [
    ["Action", ""],
    ["NotAction", " all but"],
    ["Principal", " to"],
    ["NotPrincipal", " to all but"],
    ["Resource", " on"],
    ["NotResource", " on all but"],
  ].map(([name = "", before = ""]) => (name in rest ? `${before} ${listOf(rest[name])}` : ""))
  return `${textOf(Effect)}${parts.join("")}${Condition === undefined ? "" : ` if ${JSON.stringify(Condition)}`}`
}

function describePermission({
  Action,
  Principal,
  FunctionName,
  SourceArn,
  ...rest
}: Template["Resources"][string]["Properties"]): string {
  const conditions = Object.entries({ SourceArn, ...rest }).filter(([, value]) => value !== undefined)
  const condition = conditions.map(([name, value]) => `${name} ${textOf(value)}`).join(", ")
  return `Allow ${textOf(Action)} to ${textOf(Principal)} on ${textOf(FunctionName)}${condition === "" ? "" : ` if ${condition}`}`
}

function listOf(value: unknown): string {
  return [value].flat().map(textOf).join(", ")
}

/** Renders a value of a template as people would write it: a reference by its name. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value
  if (isObject(value)) {
    const [[name, argument] = [], ...others] = Object.entries(value)
    if (others.length === 0) {
      if (name === "Ref" || name === "Fn::ImportValue") return textOf(argument)
      if (name === "Fn::GetAtt" && Array.isArray(argument)) return argument.join(".")
      if (name === "Fn::Join" && Array.isArray(argument) && Array.isArray(argument[1]))
        return argument[1].map(textOf).join(String(argument[0]))
    }
  }
  return JSON.stringify(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
