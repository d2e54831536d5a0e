import { InvalidTokenError, type OpenedValue, parseToken, type ValueType } from "@sealway/tokens"
import type { HoneyValue } from "../values/honey-value.ts"
import type { TokenOpener } from "../values/token-opener.ts"
import type { DecryptedValues } from "./decrypted-values.ts"
import { type DecideRoles, RoleTally } from "./role-tally.ts"
import { unopenedValue } from "./unopened-value.ts"

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
  const tally = new RoleTally<string>()
  for (const [pointer, text] of given) {
    if (!text.startsWith("ev:")) {
      fields.set(pointer, { text, type: "string", token: null })
      continue
    }
    const opened = await openField(pointer, text, opener)
    tally.add(opened, pointer)
    if (opened.value === null) continue
    fields.set(pointer, { text: opened.value.toString(), type: opened.type, token: text })
  }
  const judgement = await tally.judge(decide)
  const { refused } = judgement
  if (refused !== null) throw refused.error(refused.place ?? "")
  return { fields, values: judgement.values }
}

async function openField(
  pointer: string,
  text: string,
  opener: TokenOpener,
): Promise<OpenedValue | HoneyValue> {
  let cause: unknown
  try {
    const token = parseToken(text)
    if (token !== null) return await opener.openToken(token)
  } catch (error) {
    if (!(error instanceof InvalidTokenError)) throw error
    cause = error
  }
  throw unopenedValue(pointer, cause)
}
