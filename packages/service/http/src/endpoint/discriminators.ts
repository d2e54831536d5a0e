import * as z from "zod"

const propertySchema = z.looseObject({ const: z.string() })
const objectSchema = z.looseObject({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()),
})
const unionSchema = z.looseObject({ oneOf: z.array(z.object({ $ref: z.string() })).min(2) })

/**
 * Adds the `discriminator` of OpenAPI to each schema that is `oneOf` of named objects in which a field tells them apart:
 * generators of clients make a type for each object from it. Other schemas stay as they are.
 *
 * @param schemas of the document, by their names
 */
export function withDiscriminators(schemas: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const union = unionSchema.safeParse(schema)
      const discriminator = union.success ? discriminatorOf(union.data.oneOf, schemas) : null
      return [name, discriminator === null ? schema : { ...union.data, discriminator }]
    }),
  )
}

function discriminatorOf(
  members: readonly { readonly $ref: string }[],
  schemas: Readonly<Record<string, unknown>>,
): { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> } | null {
  const objects = members.map(({ $ref }) => ({
    $ref,
    literals: literalsOf(schemas[$ref.slice($ref.lastIndexOf("/") + 1)]),
  }))
  for (const propertyName of objects[0]?.literals.keys() ?? []) {
    const mapping = new Map(objects.map(({ $ref, literals }) => [literals.get(propertyName), $ref]))
    const values = [...mapping.keys()].filter((value) => value !== undefined)
    if (values.length === members.length) return { propertyName, mapping: Object.fromEntries(mapping) }
  }
  return null
}

/** Returns the required fields of an object that have one possible value, and that value. */
function literalsOf(schema: unknown): ReadonlyMap<string, string> {
  const object = objectSchema.safeParse(schema)
  if (!object.success) return new Map()
  return new Map(
    object.data.required.flatMap((name) => {
      const property = propertySchema.safeParse(object.data.properties[name])
      return property.success ? [[name, property.data.const] as const] : []
    }),
  )
}
