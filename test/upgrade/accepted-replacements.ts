/** A resource that a later version replaces, or deletes, on purpose. */
export interface AcceptedReplacement {
  /** `<stack>/<logical id>`, as in the file of the earlier version. */
  readonly id: string
  /**
   * What happens to the data or the name, and what operators must do before the deployment. It is in the release's
   * notes too.
   */
  readonly reason: string
}

export const ACCEPTED_REPLACEMENTS: readonly AcceptedReplacement[] = [
  "StageKey93D93A71",
  "StorageKeyB6649B55",
].map((key) => ({
  id: `sealway-production-keys/${key}`,
  reason:
    "Keys are multi-region keys from the first release on, which a key cannot become later. A stage of a commit before " +
    "that must be removed: a deployment would give it new keys, with which its data cannot be decrypted.",
}))

/** Routes that are in another API from the first release on. A stage from before must be removed anyway, because of its keys. */
export const ACCEPTED_MOVED_ROUTES = {
  pattern: / \/(payments|relays)(\/|$)/,
  reason:
    "In a stage with a domain, payments and relays have an API of their own, to leave room in its quotas.",
}

/**
 * Exports that stacks import and the release before did not have. A deployment of that release would delete them while
 * they are imported, which CloudFormation refuses: a rollback is impossible. The notes of the release say so.
 */
export const ACCEPTED_ONE_WAY_EXPORTS: readonly { readonly name: string; readonly reason: string }[] = []
