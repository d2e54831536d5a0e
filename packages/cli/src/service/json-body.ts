import type { Call } from "./service-client.ts"

/** The body of a call that sends JSON. Members that are undefined are left out. */
export function jsonBody(value: unknown): NonNullable<Call["body"]> {
  return { contentType: "application/json", bytes: new TextEncoder().encode(JSON.stringify(value)) }
}
