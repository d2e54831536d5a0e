import { EncryptedNames, type NameOptions } from "../form/encrypted-names.ts"
import type { EncryptedParts } from "../form/part-readings.ts"
import type { OperationGroup, Operations } from "../operations/compile-operations.ts"

/**
 * Returns the names in a form that nobody may receive in plaintext: encrypted parameters of the query, too, which
 * Servlets (`getParameter`), PHP (`$_REQUEST`), Rack and Laravel look for in both.
 */
export function encryptedParts(
  { form, file, encryptedParameters: merged }: Operations,
  options: Pick<NameOptions, "isCaseSensitive">,
): EncryptedParts {
  return { fields: encryptedNames(form, { ...options, merged }), files: encryptedNames(file, options) }
}

function encryptedNames(
  { selectors, operations }: OperationGroup<string>,
  options: NameOptions,
): EncryptedNames {
  return new EncryptedNames(
    selectors.filter((_, index) => operations[index]?.action === "encrypt"),
    options,
  )
}
