import * as z from "zod"

/**
 * The schema of a JSON object of any content. It is passed on as parsed: `z.record` would copy it, which blocks all
 * other requests when it has hundreds of thousands of fields.
 */
export function payloadSchema(description: string): z.ZodType<Readonly<Record<string, unknown>>> {
  return z
    .custom<Readonly<Record<string, unknown>>>(isObject, { error: "Invalid input: expected object" })
    .meta({
      description,
      override: { type: "object", propertyNames: { type: "string" }, additionalProperties: {} },
    })
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
