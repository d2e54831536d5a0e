import type { Cedar } from "./cedar.ts"

/**
 * Cedar stopped in the middle of a call: it ran out of stack or memory, or has a bug. Rust does not clean up then, so
 * the instance must not be used again. The cause is WebAssembly's error, which contains nothing of Cedar's input.
 */
export class CedarTrapError extends Error {
  override readonly name = "CedarTrapError"
}

/**
 * Makes the calls of an instance throw `CedarTrapError` when they trap, and an Error from then on.
 *
 * Any exception counts as a trap, because Cedar returns its refusals and does not throw them. The stack pointer in its
 * memory stays where the exception left it, whatever the exception was.
 */
export function guardCedar(cedar: Cedar, onTrap: (error: CedarTrapError) => void): Cedar {
  let trapped = false
  const guard =
    <Arguments extends readonly unknown[], Answer>(call: (...args: Arguments) => Answer) =>
    (...args: Arguments): Answer => {
      if (trapped) throw new Error("This Cedar instance was discarded after a failure")
      try {
        return call(...args)
      } catch (cause) {
        trapped = true
        const error = new CedarTrapError("Cedar stopped in the middle of a call", { cause })
        onTrap(error)
        throw error
      }
    }
  return {
    isAuthorized: guard(cedar.isAuthorized),
    statefulIsAuthorized: guard(cedar.statefulIsAuthorized),
    preparsePolicySet: guard(cedar.preparsePolicySet),
    policyToJson: guard(cedar.policyToJson),
    policyToText: guard(cedar.policyToText),
    formatPolicies: guard(cedar.formatPolicies),
    policySetTextToParts: guard(cedar.policySetTextToParts),
    validate: guard(cedar.validate),
  }
}
