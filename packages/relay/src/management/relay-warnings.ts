import type { Relay } from "../relay.ts"
import { selectionsOf } from "./check-routes.ts"

export const RELAY_WARNINGS = [
  "decrypts-without-authentication",
  "role-on-decrypt",
  "certificate-expires-soon",
] as const

/** Something that is allowed, and that whoever sets it up should know of. */
export interface RelayWarning {
  readonly code: (typeof RELAY_WARNINGS)[number]
  /** JSON Pointer into the relay. */
  readonly pointer: string
  readonly detail: string
}

const SOON_MS = 30 * 24 * 60 * 60_000

/** @param nowMs epoch milliseconds */
export function warningsOf(
  { routes, authentication, clientCertificate }: Relay,
  nowMs: number,
): readonly RelayWarning[] {
  const warnings: RelayWarning[] = []
  const placed = [...selectionsOf(routes)]
  const decrypting = placed.filter(({ action }) => action.action === "decrypt")
  const [first] = decrypting
  // With a client certificate, API keys are asked for in any case.
  if (first !== undefined && authentication === null && clientCertificate === null) {
    warnings.push({
      code: "decrypts-without-authentication",
      pointer: "/authentication",
      detail:
        "The relay decrypts values for whoever sends it a request. Let it ask for an API key, or see to it that policies of the roles permit no more than is meant.",
    })
  }
  for (const { pointer, selection } of decrypting) {
    if (selection.role === null) continue
    warnings.push({
      code: "role-on-decrypt",
      pointer: `${pointer}/role`,
      detail: "A role means nothing to decryption: values carry the one that they were encrypted with.",
    })
  }
  if (clientCertificate !== null && clientCertificate.expiresAt - nowMs < SOON_MS) {
    const isOver = clientCertificate.expiresAt <= nowMs
    warnings.push({
      code: "certificate-expires-soon",
      pointer: "/clientCertificate/expiresAt",
      detail: isOver
        ? "The client certificate has expired."
        : "The client certificate expires within 30 days.",
    })
  }
  return warnings
}
