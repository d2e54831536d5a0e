import type { Call } from "./service-client.ts"

/** Builds the body of a JSON call. Undefined fields are left out. */
export function jsonBody(value: unknown): NonNullable<Call["body"]> {
  return { contentType: "application/json", bytes: new TextEncoder().encode(JSON.stringify(value)) }
}
