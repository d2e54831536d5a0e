/** A resource that a later version replaces, or deletes, on purpose. */
export interface AcceptedReplacement {
  /** `<stack>/<logical id>`, as the file of the earlier version names it. */
  readonly id: string
  /** What becomes of the data or the name, and what whoever deploys must do before. It is in the release's notes too. */
  readonly reason: string
}

export const ACCEPTED_REPLACEMENTS: readonly AcceptedReplacement[] = []

/**
 * Exports that stacks import and the release before did not have. A deployment of that release would take them back while
 * they are imported, which CloudFormation refuses: there is no rollback. The notes of the release say so.
 */
export const ACCEPTED_ONE_WAY_EXPORTS: readonly { readonly name: string; readonly reason: string }[] = []
