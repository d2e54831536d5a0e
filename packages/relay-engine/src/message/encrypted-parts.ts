import type { OperationGroup, Operations } from "../compile-operations.ts"
import { EncryptedNames } from "../form/encrypted-names.ts"
import type { EncryptedParts } from "../form/part-readings.ts"

/** What of a form must reach nobody in plaintext, by name. */
export function encryptedParts({ form, file }: Operations): EncryptedParts {
  return { fields: encryptedNames(form), files: encryptedNames(file) }
}

function encryptedNames({ selectors, operations }: OperationGroup<string>): EncryptedNames {
  return new EncryptedNames(selectors.filter((_, index) => operations[index]?.action === "encrypt"))
}
