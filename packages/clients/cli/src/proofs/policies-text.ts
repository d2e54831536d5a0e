import { formatCount } from "@sealway/kernel"

/** Says how many policies something is about: `1 policy`, `12 policies`. */
export function policiesText(count: number): string {
  return `${formatCount(count)} ${count === 1 ? "policy" : "policies"}`
}
