import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"

export interface TemplateResource {
  readonly stack: string
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
}

const SUFFIX = ".template.json"

const templateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
})

/** Reads the resources of all stacks of an assembly, and one more for each stack itself. */
export function readTemplates(folder: string): readonly TemplateResource[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(SUFFIX))
  return files.sort().flatMap((file) => {
    const stack = file.slice(0, -SUFFIX.length)
    const { Resources } = templateSchema.parse(JSON.parse(readFileSync(join(folder, file), "utf8")))
    return [
      { stack, type: "AWS::CloudFormation::Stack", properties: {} },
      ...Object.values(Resources).map(({ Type, Properties }) => ({
        stack,
        type: Type,
        properties: Properties,
      })),
    ]
  })
}
