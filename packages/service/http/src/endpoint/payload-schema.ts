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

/** A JSON value that may hold tokens. */
export type TokenDocument = Readonly<Record<string, unknown>> | readonly unknown[] | string | number | boolean

/** The schema of any JSON value but null. It is passed on as parsed, as by `payloadSchema`. */
export function documentSchema(description: string): z.ZodType<TokenDocument> {
  return z
    .custom<TokenDocument>(isDocument, { error: "Invalid input: expected any JSON value but null" })
    .meta({
      description,
      override: {
        anyOf: [
          { type: "object", additionalProperties: {} },
          { type: "array", items: {} },
          { type: "string" },
          { type: "number" },
          { type: "boolean" },
        ],
      },
    })
}

const isDocument = (value: unknown) => value !== undefined && value !== null

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
