import { UnreadableBodyError } from "../body/located-body.ts"
import { decodePercentLoosely } from "../form/percent-encoding.ts"
import type { Operations } from "../operations/compile-operations.ts"
import type { RelayOptions } from "../routes/compile-relay.ts"
import { WalkBudget } from "../tree/walk-budget.ts"

/** As for forms. */
const MAX_PARAMETERS = 10_000
/** For all parameters and selections together, see `WalkBudget`: a tenth of a second. It is spent at once. */
const MAX_STEPS = 2_500_000

/**
 * @param target path and query, as bytes in Latin-1 characters
 * @throws UnreadableBodyError when a parameter of the query that is not encrypted could be read as an encrypted value of
 * the body, there are more than 10,000 parameters, or comparing their names with the selections takes too long
 */
export function refuseMergedParameters(
  target: string,
  { merged, encryptedParameters }: Operations,
  { caseSensitiveNames }: Pick<RelayOptions, "caseSensitiveNames">,
): void {
  const queryAt = target.indexOf("?")
  if (queryAt === -1 || merged.isEmpty) return
  const budget = new WalkBudget(MAX_STEPS)
  const encrypted = new Set(encryptedParameters)
  let count = 0
  for (const parameter of target.slice(queryAt + 1).split("&")) {
    // Older versions of Python and Rack read `;` like `&`.
    for (const piece of encrypted.has(nameOf(parameter)) ? [] : parameter.split(";")) {
      if (++count > MAX_PARAMETERS) {
        throw new UnreadableBodyError("too-large", "The query has too many parameters.")
      }
      const selector = merged.takenFor(nameOf(piece), caseSensitiveNames, budget)
      if (selector === null) continue
      throw new UnreadableBodyError(
        "malformed",
        `A parameter of the query could be read as \`${selector}\` by frameworks that merge query and body: leave it out, or select it with the type query.`,
      )
    }
  }
}

function nameOf(parameter: string): string {
  const [name = ""] = parameter.split("=", 1)
  return decodePercentLoosely(Buffer.from(name, "latin1")).toString()
}
