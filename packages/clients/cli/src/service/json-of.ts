import { JsonText } from "@sealway/sdk/api"

/** Makes a body of input that only the service checks: its refusal says where it is wrong. */
export function jsonOf(input: unknown): JsonText {
  return new JsonText(JSON.stringify(input))
}
