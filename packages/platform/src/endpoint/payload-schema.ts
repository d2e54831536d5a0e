import * as z from "zod"

/**
 * The schema of somebody's JSON object. It is handed on as it was parsed: `z.record` would copy it, which keeps all other
 * requests waiting where it has hundreds of thousands of members.
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
