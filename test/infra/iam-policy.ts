import * as z from "zod"
import type { StageResource } from "./synthesize-stage.ts"

const oneOrMore = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat())

const conditionsSchema = z.record(
  z.string(),
  z.record(z.string(), z.union([oneOrMore, z.number().transform((value) => [String(value)])])),
)

const statementSchema = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Principal: z
    .union([z.literal("*").transform(() => ({ AWS: ["*"] })), z.record(z.string(), oneOrMore)])
    .optional(),
  Action: oneOrMore,
  Resource: oneOrMore,
  Condition: conditionsSchema.default({}),
})

export type Statement = z.infer<typeof statementSchema>

const documentSchema = z.object({ Statement: z.array(statementSchema) })

/** Returns the statements of the policy that a resource has in one of its properties. */
export function statementsOf(resource: StageResource, property = "PolicyDocument"): readonly Statement[] {
  return documentSchema.parse(resource.properties[property]).Statement
}

/** Returns what statements allow, one line each: `<action> on <resource>`. */
export function permissionsOf(statements: readonly Statement[]): string[] {
  return statements
    .flatMap(({ Action, Resource }) =>
      Action.flatMap((action) => Resource.map((each) => `${action} on ${each}`)),
    )
    .sort()
}

/** A call, as policies see it. */
export interface PolicyCall {
  readonly action: string
  /** Null: that of the policy, which is the policy of a resource. */
  readonly resource: string | null
  /** Returns the values of a condition's key; none where the call lacks it. */
  valuesOf(key: string): readonly string[]
}

/** Returns whether statements allow a call, and none denies it. */
export function allows(
  statements: readonly Statement[],
  { action, resource, valuesOf }: PolicyCall,
): boolean {
  const matching = statements.filter(
    ({ Action, Resource, Condition }) =>
      Action.includes(action) &&
      (resource === null || Resource.includes(resource)) &&
      Object.entries(Condition).every(([operator, keys]) =>
        Object.entries(keys).every(([key, wanted]) => holds(operator, wanted, valuesOf(key))),
      ),
  )
  return matching.length > 0 && matching.every(({ Effect }) => Effect === "Allow")
}

/** @param values those of the call; none: the condition's key is missing */
function holds(operator: string, wanted: readonly string[], values: readonly string[]): boolean {
  const isWanted = (value: string) => wanted.includes(value)
  if (operator === "ForAllValues:StringEquals") return values.every(isWanted)
  if (operator === "Null") return isWanted(String(values.length === 0))
  if (operator === "StringEquals" || operator === "ArnEquals") return values.some(isWanted)
  if (operator === "ForAnyValue:StringLike") {
    return values.some((value) => wanted.some((pattern) => value.startsWith(pattern.replace(/\*$/, ""))))
  }
  if (operator === "ArnLike") return false
  throw new Error(`This operator is not known here: ${operator}`)
}
