import * as z from "zod"
import type { StackTemplate } from "./stack-template.ts"

const intrinsicSchema = z.union([
  z.strictObject({ Ref: z.string() }),
  z.strictObject({ "Fn::GetAtt": z.tuple([z.string(), z.string()]) }),
  z.strictObject({ "Fn::ImportValue": z.string() }),
  z.strictObject({ "Fn::Join": z.tuple([z.string(), z.array(z.unknown())]) }),
  z.strictObject({ "Fn::Sub": z.string() }),
  z.strictObject({ "Fn::GetAZs": z.string() }),
  z.strictObject({ "Fn::Split": z.tuple([z.string(), z.unknown()]) }),
  z.strictObject({ "Fn::Select": z.tuple([z.union([z.string(), z.number()]), z.unknown()]) }),
])

const recordSchema = z.record(z.string(), z.unknown())

export interface Renderer {
  /** Returns `keys/StageKey` for a logical id of the stack `keys`. */
  id(stack: string, logicalId: string): string
  /** Returns a template's value with its intrinsic functions as text: `keys/StageKey.Arn`, `<AWS::AccountId>`. */
  value(stack: string, value: unknown): unknown
}

/** Makes templates readable: a reference is the same text everywhere, also from another stack. */
export function createRenderer(templates: ReadonlyMap<string, StackTemplate>): Renderer {
  const exported = new Map<string, { readonly stack: string; readonly value: unknown }>()
  for (const [stack, { Outputs }] of templates) {
    for (const { Value, Export } of Object.values(Outputs)) {
      if (Export !== undefined) exported.set(Export.Name, { stack, value: Value })
    }
  }

  const id = (stack: string, logicalId: string) => `${stack}/${logicalId.replace(/[0-9A-F]{8}$/, "")}`

  function intrinsic(stack: string, value: z.infer<typeof intrinsicSchema>): string {
    if ("Ref" in value) {
      const isResource = templates.get(stack)?.Resources[value.Ref] !== undefined
      return isResource ? id(stack, value.Ref) : `<${value.Ref}>`
    }
    if ("Fn::GetAtt" in value) {
      const [logicalId, attribute] = value["Fn::GetAtt"]
      return `${id(stack, logicalId)}.${attribute}`
    }
    if ("Fn::Join" in value) {
      const [separator, parts] = value["Fn::Join"]
      return parts.map((part) => String(render(stack, part))).join(separator)
    }
    if ("Fn::Sub" in value) return value["Fn::Sub"]
    if ("Fn::GetAZs" in value) return "<zones>"
    if ("Fn::Split" in value) {
      const [separator, text] = value["Fn::Split"]
      return `${String(render(stack, text))} by ${separator}`
    }
    if ("Fn::Select" in value) {
      const [index, list] = value["Fn::Select"]
      return `${String(render(stack, list))}[${index}]`
    }
    const found = exported.get(value["Fn::ImportValue"])
    if (found === undefined) throw new Error(`Nothing exports ${value["Fn::ImportValue"]}`)
    return String(render(found.stack, found.value))
  }

  function render(stack: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => render(stack, each))
    if (typeof value !== "object" || value === null) return value
    const members = Object.entries(recordSchema.parse(value))
    const [first, ...others] = members
    if (first !== undefined && others.length === 0 && /^(Ref$|Fn::)/.test(first[0])) {
      const found = intrinsicSchema.safeParse(value)
      if (!found.success) throw new Error(`This intrinsic function is not known here: ${first[0]}`)
      return intrinsic(stack, found.data)
    }
    return Object.fromEntries(members.map(([name, each]) => [name, render(stack, each)]))
  }

  return { id, value: render }
}
