import type { PolicyWarning } from "@sealway/policies/analysis"

/** Formats a warning without its role: `office: it applies to no request (never-applies)`. */
export function textOfWarning({ policy, kind, reason }: PolicyWarning): string {
  return `${policy === null ? "" : `${policy}: `}${reason} (${kind})`
}
