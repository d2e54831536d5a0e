import type { Warning } from "@sealway/proofs"

/** Formats a warning without its role: `office: it applies to no request (never-applies)`. */
export function textOfWarning({ policy, kind, reason }: Warning): string {
  return `${policy === null ? "" : `${policy}: `}${reason} (${kind})`
}
