import * as fc from "fast-check"
import * as z from "zod"

/** The parts of JSON Schema that the OpenAPI document uses. */
const schemaSchema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.json().optional(),
  enum: z.array(z.json()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  pattern: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  maximum: z.number().optional(),
  items: z.unknown().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
  propertyNames: z.unknown().optional(),
})
type Schema = z.infer<typeof schemaSchema>

/** Texts and lists are not made longer than this: too large values have tests of their own. */
const MAX_LENGTH = 40
const MAX_DEPTH = 6
/** Both are made once, since fast-check makes a table of all characters for each. */
const textsByPattern = new Map<string, fc.Arbitrary<string>>()
const grapheme = fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 })

/**
 * Draws values that a JSON Schema allows, or nearly: what a schema does not say, such as that two fields go together,
 * is ignored, and so are patterns that look ahead.
 *
 * @param resolve finds what a `$ref` points to
 */
export function arbitraryOf(
  schema: unknown,
  resolve: (reference: string) => unknown,
  depth = 0,
): fc.Arbitrary<unknown> {
  if (depth > MAX_DEPTH) return fc.constant(null)
  const read = schemaSchema.parse(schema ?? {})
  const draw = (inner: unknown) => arbitraryOf(inner, resolve, depth + 1)
  if (read.$ref !== undefined) return draw(resolve(read.$ref))
  if (read.const !== undefined) return fc.constant(read.const)
  if (read.enum !== undefined) return fc.constantFrom(...read.enum)
  const choices = read.anyOf ?? (read.properties === undefined ? read.oneOf : undefined)
  if (choices !== undefined) return fc.oneof(...choices.map(draw))
  if (Array.isArray(read.type)) return fc.oneof(...read.type.map((type) => draw({ ...read, type })))
  switch (read.type) {
    case "string":
      return textOf(read)
    case "integer":
      return fc.integer(boundsOf(read))
    case "number":
      return fc.double({ ...boundsOf(read), noNaN: true })
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "array":
      return fc.array(draw(read.items), {
        minLength: read.minItems ?? 0,
        maxLength: Math.min(read.maxItems ?? MAX_LENGTH, 3),
      })
    case "object":
      return objectOf(read, draw)
    default:
      return fc.jsonValue()
  }
}

function textOf({ pattern, minLength = 0, maxLength = MAX_LENGTH }: Schema): fc.Arbitrary<string> {
  const bounds = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, MAX_LENGTH)) }
  if (pattern === undefined) return fc.string({ unit: grapheme, ...bounds })
  const key = JSON.stringify([pattern, bounds])
  const text = textsByPattern.get(key) ?? textMatching(pattern, bounds)
  textsByPattern.set(key, text)
  return text
}

function textMatching(
  pattern: string,
  bounds: { readonly minLength: number; readonly maxLength: number },
): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, "u"), { maxLength: bounds.maxLength })
  } catch {
    return fc.string(bounds)
  }
}

function boundsOf({ minimum, exclusiveMinimum, maximum }: Schema): { min?: number; max?: number } {
  const min = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1)
  const clamp = (bound: number) => Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, bound))
  return {
    ...(min !== undefined && { min: clamp(min) }),
    ...(maximum !== undefined && { max: clamp(maximum) }),
  }
}

function objectOf(
  { properties = {}, required = [], additionalProperties, propertyNames }: Schema,
  draw: (schema: unknown) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, draw(each)])),
    { requiredKeys: required },
  )
  if (additionalProperties === undefined || additionalProperties === false) return known
  const names = propertyNames === undefined ? fc.string() : draw(propertyNames).map(String)
  return fc
    .tuple(known, fc.dictionary(names, draw(additionalProperties), { maxKeys: 3 }))
    .map(([named, others]) => ({ ...others, ...named }))
}
