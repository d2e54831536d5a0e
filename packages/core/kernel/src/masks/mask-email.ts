import { charactersOf } from "./characters.ts"
import type { Hide } from "./hidden.ts"

const MAX_DOMAIN_LENGTH = 253
/** Letters and digits of any script: a domain may be internationalised. */
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,62})$/u
const TOP_LEVEL_LABEL = /^(?:xn--.+|[\p{L}\p{M}]{2,})$/u

/**
 * Shows the domain of an e-mail address and the first character before it, unless that is all that there is. Returns null
 * for anything that is not an e-mail address: what follows its `@` may be a secret.
 */
export function maskEmail(text: string, hide: Hide): string | null {
  const at = text.lastIndexOf("@")
  if (at < 1) return null
  const domain = text.slice(at + 1)
  if (!isDomain(domain)) return null
  const [first = "", ...others] = charactersOf(text.slice(0, at))
  return others.length === 0 ? `${hide(1)}@${domain}` : `${first}${hide(others.length)}@${domain}`
}

function isDomain(text: string): boolean {
  const labels = text.split(".")
  return (
    text.length <= MAX_DOMAIN_LENGTH &&
    labels.length >= 2 &&
    labels.every((label) => LABEL.test(label)) &&
    TOP_LEVEL_LABEL.test(labels.at(-1) ?? "")
  )
}
