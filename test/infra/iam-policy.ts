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
