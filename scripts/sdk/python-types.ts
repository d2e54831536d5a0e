import { createHash } from "node:crypto"
import type { Schema } from "./type-of-schema.ts"

/** Words that cannot be the name of a field in a class, or of a parameter. */
export const PYTHON_KEYWORDS: ReadonlySet<string> = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
)

const PRIMITIVES: ReadonlyMap<string, string> = new Map([
  ["string", "str"],
  ["number", "float"],
  ["integer", "int"],
  ["boolean", "bool"],
  ["null", "None"],
])

const LONG_ENUMERATION = 7

/** Collects the classes of Python that the schemas of a document become: objects are `TypedDict`s, each with a name. */
export class PythonTypes {
  readonly #schemas: Readonly<Record<string, Schema>>
  /** The texts of classes and aliases by their names, in the order in which they must be written. */
  readonly #written = new Map<string, string>()
  /** Names by what is written, so that objects that are described twice are one class. */
  readonly #names = new Map<string, string>()
  readonly #underway = new Set<string>()

  constructor(schemas: Readonly<Record<string, Schema>>) {
    this.#schemas = schemas
  }

  get text(): string {
    return [...this.#written.values()].join("\n\n")
  }

  /**
   * Returns the type of a schema as an annotation, and writes the classes that it needs.
   *
   * @param name of the class, if it needs one
   */
  typeOf(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) return this.#named(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1))
    if (schema.const !== undefined) return literal([schema.const])
    if (schema.enum !== undefined) return this.#enumeration(schema.enum, name)
    const choices = schema.oneOf ?? schema.anyOf
    if (choices !== undefined) return this.#union(choices, name)
    const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? [])
    return types.length === 0 ? "Any" : union(types.map((type) => this.#typeNamed(type, schema, name)))
  }

  /** Writes a schema of the document under its own name. */
  #named(name: string): string {
    if (this.#written.has(name) || this.#underway.has(name)) return name
    const schema = this.#schemas[name]
    if (schema === undefined) throw new Error(`The document has no schema ${name}`)
    this.#underway.add(name)
    if (isClass(schema)) this.#writeClass(schema, name)
    else {
      const type = this.typeOf(schema, name)
      // A text: what it names may be written later. A long enumeration is written already.
      if (type !== name)
        this.#write(
          name,
          `${name}: TypeAlias = ${JSON.stringify(type)}\n${docstring(schema.description, "")}`,
        )
    }
    return name
  }

  #typeNamed(type: string, schema: Schema, name: string): string {
    if (type === "array") return `list[${this.typeOf(schema.items ?? {}, `${name}Item`)}]`
    if (type !== "object") {
      const primitive = PRIMITIVES.get(type)
      if (primitive === undefined) throw new Error(`No type of Python for a schema of type ${type}`)
      return primitive
    }
    if (isClass(schema)) return this.#writeClass(schema, name)
    const { additionalProperties = false } = schema
    if (typeof additionalProperties === "boolean") return "dict[str, Any]"
    return `dict[str, ${this.typeOf(additionalProperties, `${name}Value`)}]`
  }

  /** Long ones have a name, so that programs can use them, and each is written once. */
  #enumeration(values: NonNullable<Schema["enum"]>, name: string): string {
    const type = literal(values)
    if (values.length < LONG_ENUMERATION) return type
    const same = this.#names.get(type)
    if (same !== undefined) return same
    this.#names.set(type, name)
    this.#write(name, `${name}: TypeAlias = ${type}\n`)
    return name
  }

  /** Of objects that differ by a constant (`status`, `type`), each has a name that ends with its own. */
  #union(choices: readonly Schema[], name: string): string {
    const objects = choices.filter(isClass)
    const key = Object.keys(objects[0]?.properties ?? {}).find((each) => {
      const tags = objects.map(({ properties = {} }) => tagOf(properties[each]))
      return !tags.includes(null) && new Set(tags).size === objects.length
    })
    const types = choices.map((choice) => {
      // The name itself may be that of the union.
      if (objects.length < 2 || !isClass(choice))
        return this.typeOf(choice, this.#underway.has(name) ? `${name}Fields` : name)
      const tag = key === undefined ? String(objects.indexOf(choice) + 1) : tagOf(choice.properties?.[key])
      return this.typeOf(choice, name + pascalCase(tag ?? ""))
    })
    return union(types)
  }

  #writeClass(schema: Schema, name: string): string {
    const { properties = {}, required = [] } = schema
    const isNamed = this.#underway.has(name)
    const fields = Object.entries(properties).map(([field, described]) => {
      const type = this.typeOf(described, name + pascalCase(field))
      return [field, required.includes(field) ? type : `NotRequired[${type}]`, described.description] as const
    })
    const hasKeyword = fields.some(([field]) => !/^[A-Za-z_]\w*$/.test(field) || PYTHON_KEYWORDS.has(field))
    const body = hasKeyword
      ? `TypedDict(NAME, {\n${fields.map(([field, type, about]) => `${comment(about)}    ${JSON.stringify(field)}: ${JSON.stringify(type)},\n`).join("")}})\n`
      : `${isNamed ? docstring(schema.description, "    ") : ""}${fields.map(([field, type, about]) => `    ${field}: ${type}\n${docstring(about, "    ")}`).join("")}`
    const hash = createHash("sha256").update(body).digest("hex")
    const same = this.#names.get(hash)
    if (same !== undefined && !isNamed) return same
    this.#names.set(hash, name)
    const text = hasKeyword
      ? `${name} = ${body.replace("NAME", JSON.stringify(name))}`
      : `class ${name}(TypedDict):\n${body}`
    this.#write(name, text)
    return name
  }

  #write(name: string, text: string): void {
    if (this.#written.has(name)) throw new Error(`Two types have the name ${name}`)
    this.#written.set(name, text)
  }
}

function isClass({ type, properties = {}, anyOf, oneOf }: Schema): boolean {
  return type === "object" && Object.keys(properties).length > 0 && (anyOf ?? oneOf) === undefined
}

/** Returns the only value that a property may have. */
function tagOf(schema: Schema | undefined): string | null {
  const value = schema?.const ?? (schema?.enum?.length === 1 ? schema.enum[0] : undefined)
  return typeof value === "string" ? value : null
}

function literal(values: readonly (string | number | boolean | null)[]): string {
  const named = values.map((value) =>
    typeof value === "boolean" ? (value ? "True" : "False") : value === null ? "None" : JSON.stringify(value),
  )
  return `Literal[${named.join(", ")}]`
}

export function union(types: readonly string[]): string {
  const different = [...new Set(types)].filter((type) => type !== "None")
  // Any takes everything.
  if (different.includes("Any")) return "Any"
  return [...different, ...(types.includes("None") ? ["None"] : [])].join(" | ")
}

/** Writes a text as a string literal on its own lines, which tools show as documentation. */
export function docstring(text: string | undefined, indent: string): string {
  if (text === undefined || text === "") return ""
  const safe = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')
  const lines = safe.split("\n").map((line) => (indent + line).trimEnd())
  return `${indent}"""${lines.join("\n").trimStart()}${lines.length > 1 ? `\n${indent}` : ""}"""\n`
}

function comment(text: string | undefined): string {
  return text === undefined ? "" : `${text.replaceAll(/^/gm, "    # ")}\n`
}

export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

export function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase()
}
