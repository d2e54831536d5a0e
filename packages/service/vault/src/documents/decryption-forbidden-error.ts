import { ApiError } from "@sealway/kernel"
import type { HoneyValue } from "../values/honey-value.ts"

/** Clients' test suites compare this text. */
const DETAIL =
  "Decryption of the provided data is restricted by your current policies. Please check and modify your policies, if needed, to enable decryption in this context."

const DETAILS = {
  "decrypt/forbidden": DETAIL,
  "decrypt/masked-only":
    "The policies permit a mask of the value, not the value itself. Send the request without X-Service-Reveal: full to get the mask.",
  "decrypt/reason-required":
    "The policies permit decrypting the value for a reason only. Say why in the header X-Service-Reason.",
} as const

/** Why a value is refused. The caller learns none of it, except from a code other than `decrypt/forbidden`. */
export interface Refusal {
  readonly role: string | null
  readonly reason: string
  readonly policyIds: readonly string[]
  /** Default: `decrypt/forbidden`. */
  readonly code?: keyof typeof DETAILS
}

const NO_ROLE = "no-role"

/** The refusal of a value without a role where policies must decide. */
export const WITHOUT_ROLE: Refusal = { role: null, reason: NO_ROLE, policyIds: [] }

/** The refusal of a honey token. The caller gets the answer of a value that the policies of its role forbid. */
export function honeyRefusal(role: string | null): Refusal {
  return { role, reason: "honey-token", policyIds: [] }
}

/** A value that may not be decrypted. The caller learns its place, the audit log the reason. */
export class DecryptionForbiddenError extends ApiError {
  override readonly name = "DecryptionForbiddenError"
  /** Null for a value without one. */
  readonly role: string | null
  readonly reason: string
  readonly policyIds: readonly string[]
  /** The honey tokens of the request, whatever it is refused for. */
  readonly honeyMarks: readonly string[]

  /**
   * @param pointer JSON Pointer to the first value of the role
   * @param refusal the data role and the decision of its policies; no role where a value without one is refused
   * @param honeyMarks see `HoneyValue`. Default: none
   */
  constructor(pointer: string, refusal: Refusal, honeyMarks: readonly string[] = []) {
    const reason =
      refusal.reason === NO_ROLE
        ? "The value has no data role, and only an API key permits decrypting it."
        : "The policies of the value's data role do not permit decrypting it."
    const { code = "decrypt/forbidden" } = refusal
    super(code, DETAILS[code], { fields: [{ pointer, reason }] })
    this.role = refusal.role
    this.reason = refusal.reason
    this.policyIds = refusal.policyIds
    this.honeyMarks = honeyMarks
  }
}

/** Creates the refusal of one honey token. */
export function honeyForbidden(pointer: string, { role, mark }: HoneyValue): DecryptionForbiddenError {
  return new DecryptionForbiddenError(pointer, honeyRefusal(role), [mark])
}
