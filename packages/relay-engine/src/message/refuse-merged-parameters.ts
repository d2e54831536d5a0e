import { UnreadableBodyError } from "../body/located-body.ts"
import { decodePercentLoosely } from "../form/percent-encoding.ts"
import type { Operations } from "../operations/compile-operations.ts"
import type { RelayOptions } from "../routes/compile-relay.ts"

/** As for forms. */
const MAX_PARAMETERS = 10_000

/**
 * @param target path and query, as bytes in Latin-1 characters
 * @throws UnreadableBodyError when a parameter of the query that is not encrypted could be read as an encrypted value of
 * the body, or there are more than 10,000 parameters
 */
export function refuseMergedParameters(
  target: string,
  { merged, query }: Operations,
  { caseSensitiveNames }: Pick<RelayOptions, "caseSensitiveNames">,
): void {
  const queryAt = target.indexOf("?")
  if (queryAt === -1 || merged.isEmpty) return
  let count = 0
  for (const parameter of target.slice(queryAt + 1).split("&")) {
    const isEncrypted = [...query.encrypting].some((index) => query.selectors[index] === nameOf(parameter))
    // Older versions of Python and Rack read `;` like `&`.
    for (const piece of isEncrypted ? [] : parameter.split(";")) {
      if (++count > MAX_PARAMETERS) {
        throw new UnreadableBodyError("too-large", "The query has too many parameters.")
      }
      const selector = merged.takenFor(nameOf(piece), caseSensitiveNames)
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
