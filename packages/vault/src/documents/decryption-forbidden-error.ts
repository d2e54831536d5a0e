import { ApiError } from "@sealway/kernel"

/** Clients' test suites compare this text. */
const DETAIL =
  "Decryption of the provided data is restricted by your current policies. Please check and modify your policies, if needed, to enable decryption in this context."

/** A value that may not be decrypted. The caller learns its place, the audit log the reason. */
export class DecryptionForbiddenError extends ApiError {
  override readonly name = "DecryptionForbiddenError"
  readonly role: string
  readonly reason: string
  readonly policyIds: readonly string[]

  /**
   * @param pointer JSON Pointer to the first value of the role
   * @param refusal the data role and the decision of its policies
   */
  constructor(
    pointer: string,
    refusal: { readonly role: string; readonly reason: string; readonly policyIds: readonly string[] },
  ) {
    const reason = "The policies of the value's data role do not permit decrypting it."
    super("decrypt/forbidden", DETAIL, { fields: [{ pointer, reason }] })
    this.role = refusal.role
    this.reason = refusal.reason
    this.policyIds = refusal.policyIds
  }
}
