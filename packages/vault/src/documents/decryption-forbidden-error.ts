import { ApiError } from "@sealway/kernel"

/** Clients' test suites compare this text. */
const DETAIL =
  "Decryption of the provided data is restricted by your current policies. Please check and modify your policies, if needed, to enable decryption in this context."

/** A value that may not be decrypted. The caller learns its place, the audit log the reason. */
export class DecryptionForbiddenError extends ApiError {
  override readonly name = "DecryptionForbiddenError"
  /** Null for a value without one. */
  readonly role: string | null
  readonly reason: string
  readonly policyIds: readonly string[]

  /**
   * @param pointer JSON Pointer to the first value of the role
   * @param refusal the data role and the decision of its policies; no role where a value without one is refused
   */
  constructor(
    pointer: string,
    refusal: { readonly role: string | null; readonly reason: string; readonly policyIds: readonly string[] },
  ) {
    const reason =
      refusal.role === null
        ? "The value has no data role, and only an API key permits decrypting it."
        : "The policies of the value's data role do not permit decrypting it."
    super("decrypt/forbidden", DETAIL, { fields: [{ pointer, reason }] })
    this.role = refusal.role
    this.reason = refusal.reason
    this.policyIds = refusal.policyIds
  }
}
