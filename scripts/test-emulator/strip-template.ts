import * as z from "zod"

const resourceSchema = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).optional(),
  DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
})

const templateSchema = z.looseObject({ Resources: z.record(z.string(), resourceSchema) })

export type Template = z.infer<typeof templateSchema>

export interface Stripping {
  /** Types of resources that are left out. */
  readonly types: ReadonlySet<string>
  /** Replacements for the attributes of such a type. Default: a text for each. */
  readonly standIns: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** Environment variables of functions: their new values; null: left out. */
  readonly variables: ReadonlyMap<string, string | null>
}

/**
 * Returns a template without what an emulator does not know. References to a resource that is left out become texts.
 */
export function stripTemplate(text: string, { types, standIns, variables }: Stripping): Template {
  const template = templateSchema.parse(JSON.parse(text))
  const isGone = (id: string) => types.has(template.Resources[id]?.Type ?? "")
  const replaced = replaceReferences(template, (id, attribute) => {
    if (!isGone(id)) return null
    return standIns.get(template.Resources[id]?.Type ?? "")?.[attribute] ?? standIn(id, attribute)
  })
  const { Resources, ...rest } = templateSchema.parse(replaced)
  const kept = Object.entries(Resources).filter(([id]) => !isGone(id))
  return {
    ...rest,
    Resources: Object.fromEntries(
      kept.map(([id, { DependsOn = [], ...resource }]) => [
        id,
        {
          ...resource,
          DependsOn: [DependsOn].flat().filter((each) => !isGone(each)),
          ...(resource.Type === "AWS::Lambda::Function" && {
            Properties: withVariables(resource.Properties ?? {}, variables),
          }),
        },
      ]),
    ),
  }
}

/**
 * @param valueFor the replacement for an attribute of a resource; null where the resource stays. `Ref` counts as an
 * attribute.
 */
function replaceReferences(
  value: unknown,
  valueFor: (id: string, attribute: string) => string | null,
): unknown {
  if (Array.isArray(value)) return value.map((each) => replaceReferences(each, valueFor))
  if (typeof value !== "object" || value === null) return value
  const [id, attribute = ""] = referenceIn(value)
  const replaced = id === undefined ? null : valueFor(id, attribute)
  if (replaced !== null) return replaced
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, replaceReferences(each, valueFor)]),
  )
}

function referenceIn(value: object): readonly string[] {
  if ("Ref" in value && typeof value.Ref === "string") return [value.Ref, "Ref"]
  if ("Fn::GetAtt" in value && Array.isArray(value["Fn::GetAtt"])) return value["Fn::GetAtt"].map(String)
  return []
}

/** Writes it in letters, digits and hyphens, so that it may be part of a name. */
function standIn(id: string, attribute: string): string {
  return `stripped-${id}-${attribute.replaceAll(".", "-")}`.toLowerCase()
}

const environmentSchema = z.object({ Variables: z.record(z.string(), z.unknown()) })

function withVariables(
  properties: Readonly<Record<string, unknown>>,
  changes: Stripping["variables"],
): Record<string, unknown> {
  const { Variables } = environmentSchema.catch({ Variables: {} }).parse(properties.Environment)
  const variables = { ...Variables }
  for (const [name, value] of changes) {
    if (value === null) delete variables[name]
    else variables[name] = value
  }
  return { ...properties, Environment: { Variables: variables } }
}
