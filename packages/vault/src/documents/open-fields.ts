import { InvalidRequestError } from "@sealway/kernel"
import { InvalidTokenError, type OpenedValue, parseToken, type ValueType } from "@sealway/tokens"
import type { TokenOpener } from "../values/token-opener.ts"
import type { DecideRoles } from "./decrypt-json.ts"
import type { DecryptedValues } from "./decrypted-values.ts"
import { DecryptionForbiddenError } from "./decryption-forbidden-error.ts"

/** A request field that may be sent in plain text or as a token. */
export interface OpenedField {
  readonly text: string
  /** Its type before it was sealed; `string` when it was sent in plain text. */
  readonly type: ValueType
  /** The token that was sent; null when it was sent in plain text. */
  readonly token: string | null
}

export interface OpenedFields {
  /** By the JSON Pointer of the field. */
  readonly fields: ReadonlyMap<string, OpenedField>
  readonly values: DecryptedValues
}

/**
 * Opens the fields of a request that are tokens; the others are returned as sent. Unlike in a document to decrypt, a
 * field that starts with `ev:` is never data.
 *
 * @param given texts by JSON Pointer
 * @param decide called once with all roles that occur; not at all when there are none
 * @throws InvalidRequestError naming the field, when it starts with `ev:` and does not open with the app's keys
 * @throws DecryptionForbiddenError naming the first field of a role that may not be decrypted: then none is
 */
export async function openFields(
  given: ReadonlyMap<string, string>,
  opener: TokenOpener,
  decide: DecideRoles,
): Promise<OpenedFields> {
  const fields = new Map<string, OpenedField>()
  const roles = new Map<string, number>()
  const firstPointers = new Map<string, string>()
  let withoutRole = 0
  for (const [pointer, text] of given) {
    if (!text.startsWith("ev:")) {
      fields.set(pointer, { text, type: "string", token: null })
      continue
    }
    const { role, type, value } = await openField(pointer, text, opener)
    fields.set(pointer, { text: value.toString(), type, token: text })
    if (role === null) {
      withoutRole++
      continue
    }
    roles.set(role, (roles.get(role) ?? 0) + 1)
    if (!firstPointers.has(role)) firstPointers.set(role, pointer)
  }
  const isStrict = roles.size > 0 && (await requirePermission(firstPointers, roles, decide))
  return { fields, values: { roles, withoutRole, isStrict } }
}

async function openField(pointer: string, text: string, opener: TokenOpener): Promise<OpenedValue> {
  let cause: unknown
  try {
    const token = parseToken(text)
    if (token !== null) return await opener.openToken(token)
  } catch (error) {
    if (!(error instanceof InvalidTokenError)) throw error
    cause = error
  }
  const reason = "The value cannot be decrypted."
  throw new InvalidRequestError(reason, { fields: [{ pointer, reason }], cause })
}

/** Checks the roles of all opened fields. @returns whether one of the roles requires a record in the audit log first */
async function requirePermission(
  firstPointers: ReadonlyMap<string, string>,
  roles: ReadonlyMap<string, number>,
  decide: DecideRoles,
): Promise<boolean> {
  const decisions = await decide([...roles].map(([role, values]) => ({ role, values })))
  let isStrict = false
  for (const [role, pointer] of firstPointers) {
    const decision = decisions.get(role)
    if (decision?.decision !== "permit") {
      const { reason = "no-decision", policyIds = [] } = decision ?? {}
      throw new DecryptionForbiddenError(pointer, { role, reason, policyIds })
    }
    isStrict ||= decision.accessLog === "strict"
  }
  return isStrict
}
