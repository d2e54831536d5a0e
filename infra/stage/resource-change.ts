import type { Template } from "./template-policies.ts"

/** What a deployment would do with a resource. */
export interface ResourceChange {
  readonly action: "add" | "modify" | "remove"
  readonly logicalId: string
  /** `AWS::SQS::Queue` */
  readonly type: string
  /** Whether another resource takes its place, and the old one is deleted. `unknown`: CloudFormation cannot tell, or was not asked. */
  readonly isReplaced: boolean | "unknown"
}

/** Compares the resources of templates. It cannot tell which changes replace a resource: only CloudFormation knows. */
export function compareTemplates(before: Template, after: Template): readonly ResourceChange[] {
  const ids = new Set([...Object.keys(before.Resources), ...Object.keys(after.Resources)])
  return [...ids].flatMap((logicalId): ResourceChange[] => {
    const [old, wanted] = [before.Resources[logicalId], after.Resources[logicalId]]
    if (old === undefined && wanted !== undefined)
      return [{ action: "add", logicalId, type: wanted.Type, isReplaced: false }]
    if (old !== undefined && wanted === undefined)
      return [{ action: "remove", logicalId, type: old.Type, isReplaced: false }]
    if (old === undefined || JSON.stringify(old) === JSON.stringify(wanted)) return []
    return [{ action: "modify", logicalId, type: old.Type, isReplaced: "unknown" }]
  })
}
