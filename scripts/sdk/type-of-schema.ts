import * as z from "zod"

/** What the document's schemas use of JSON Schema. A keyword that is missing here only narrows values. */
export interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly const?: string | number | boolean | null
  readonly enum?: readonly (string | number | boolean | null)[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
}

const literalSchema = z.union([z.string(), z.number(), z.boolean(), z.null()])
export const schemaSchema: z.ZodType<Schema> = z.object({
  $ref: z.string().exactOptional(),
  description: z.string().exactOptional(),
  type: z.union([z.string(), z.array(z.string())]).exactOptional(),
  const: literalSchema.exactOptional(),
  enum: z.array(literalSchema).exactOptional(),
  required: z.array(z.string()).exactOptional(),
  get anyOf() {
    return z.array(schemaSchema).exactOptional()
  },
  get oneOf() {
    return z.array(schemaSchema).exactOptional()
  },
  get properties() {
    return z.record(z.string(), schemaSchema).exactOptional()
  },
  get additionalProperties() {
    return z.union([z.boolean(), schemaSchema]).exactOptional()
  },
  get items() {
    return schemaSchema.exactOptional()
  },
})

const PRIMITIVES: ReadonlyMap<string, string> = new Map([
  ["string", "string"],
  ["number", "number"],
  ["integer", "number"],
  ["boolean", "boolean"],
  ["null", "null"],
])

/**
 * Writes the TypeScript type of a schema.
 *
 * @param indent of the line that the type begins on
 * @param isInput whether optional fields may be undefined too, for TypeScript's `exactOptionalPropertyTypes`
 */
export function typeOfSchema(schema: Schema, indent = "", isInput = false): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return union(schema.enum.map((each) => JSON.stringify(each)))
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return union(choices.map((each) => typeOfSchema(each, indent, isInput)))
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? [])
  return types.length === 0 ? "unknown" : union(types.map((type) => typeNamed(type, schema, indent, isInput)))
}

function typeNamed(type: string, schema: Schema, indent: string, isInput: boolean): string {
  if (type === "array") {
    const item = typeOfSchema(schema.items ?? {}, indent, isInput)
    return /^(\w+|\{[^|]*\})$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`
  }
  if (type === "object") return objectOf(schema, indent, isInput)
  const primitive = PRIMITIVES.get(type)
  if (primitive === undefined) throw new Error(`No TypeScript type for a schema of type ${type}`)
  return primitive
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: Schema,
  indent: string,
  isInput: boolean,
): string {
  const others = additionalProperties === true ? {} : additionalProperties || null
  const names = Object.keys(properties)
  if (names.length === 0)
    return others === null ? "{}" : `Readonly<Record<string, ${typeOfSchema(others, indent, isInput)}>>`
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isOptional = !required.includes(name)
    const type = typeOfSchema(schema, inner, isInput)
    const accepted = isOptional && isInput && type !== "unknown" ? `${type} | undefined` : type
    return `${commentOn(schema.description, inner)}${inner}readonly ${keyOf(name)}${isOptional ? "?" : ""}: ${accepted}\n`
  })
  const rest = others === null ? "" : `${inner}readonly [name: string]: unknown\n`
  return `{\n${fields.join("")}${rest}${indent}}`
}

/** Writes a text as a documentation comment on its own line. */
export function commentOn(text: string | undefined, indent: string): string {
  if (text === undefined || text === "") return ""
  const lines = text.replaceAll("*/", "*\\/").split("\n")
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`
}

/** Writes a name as a key of a type or of an object. */
export function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}

function union(types: readonly string[]): string {
  return [...new Set(types)]
    .map((type) => (types.length > 1 && type.startsWith("readonly ") ? `(${type})` : type))
    .join(" | ")
}
