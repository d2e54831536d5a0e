import type { HoneyTouch } from "@sealway/sdk/api"

/** Says how somebody has tried to decrypt a honey token: `endpoint decrypt`, `relay relay_1, request`. */
export function wayInWords({
  endpoint,
  relay,
  direction,
  function: name,
  enclave,
}: HoneyTouch["way"]): string {
  if (relay !== undefined) return [`relay ${relay}`, direction].filter(Boolean).join(", ")
  if (name !== undefined) return `function ${name}`
  if (enclave !== undefined) return `enclave ${enclave}`
  return endpoint === undefined ? "unknown" : `endpoint ${endpoint}`
}
