import { KmsError } from "./kms-error.ts"

/** The JSON object in a request body. */
export type RequestMembers = Readonly<Record<string, unknown>>

export interface StringConstraints {
  readonly minLength: number
  readonly maxLength: number
  readonly pattern?: RegExp
}

/**
 * @throws KmsError SerializationException when the field is not a string, ValidationException when it is missing or
 * violates a constraint.
 */
export function stringMember(members: RequestMembers, name: string, constraints: StringConstraints): string {
  const text = optionalStringMember(members, name, constraints)
  if (text === undefined) throw invalid(name, "Member must not be null")
  return text
}

/** Like `stringMember`, but returns undefined when the field is missing. */
export function optionalStringMember(
  members: RequestMembers,
  name: string,
  { minLength, maxLength, pattern }: StringConstraints,
): string | undefined {
  const text = members[name]
  if (text === undefined) return undefined
  if (typeof text !== "string")
    throw new KmsError("SerializationException", `The member ${name} is not a string.`)
  checkLength(name, text.length, minLength, maxLength)
  if (pattern && !pattern.test(text)) {
    throw invalid(name, `Member must satisfy regular expression pattern: ${pattern.source}`)
  }
  return text
}

/**
 * Decodes a base64 field of 1 to `maxBytes` bytes.
 *
 * @throws KmsError SerializationException when it is not base64, ValidationException when it is missing, empty or too
 * long.
 */
export function bytesMember(members: RequestMembers, name: string, maxBytes: number): Buffer {
  const text = stringMember(members, name, { minLength: 1, maxLength: Number.POSITIVE_INFINITY })
  const bytes = Buffer.from(text, "base64")
  // Node.js skips what is not base64; encoding again shows whether it skipped anything.
  if (bytes.toString("base64") !== text) {
    throw new KmsError("SerializationException", `The member ${name} is not base64.`)
  }
  checkLength(name, bytes.length, 1, maxBytes)
  return bytes
}

/**
 * Refuses fields that AWS knows and the embedded KMS does not support: ignoring them would promise too much.
 *
 * @throws KmsError UnsupportedOperationException
 */
export function refuseMembers(members: RequestMembers, names: readonly string[]): void {
  const present = names.find((name) => members[name] !== undefined)
  if (present !== undefined) {
    throw new KmsError("UnsupportedOperationException", `The embedded KMS does not offer ${present}.`)
  }
}

function checkLength(name: string, length: number, minimum: number, maximum: number): void {
  if (length < minimum) throw invalid(name, `Member must have length greater than or equal to ${minimum}`)
  if (length > maximum) throw invalid(name, `Member must have length less than or equal to ${maximum}`)
}

/** AWS's wording, without the value. */
function invalid(name: string, constraint: string): KmsError {
  const member = name.charAt(0).toLowerCase() + name.slice(1)
  return new KmsError(
    "ValidationException",
    `1 validation error detected: Value at '${member}' failed to satisfy constraint: ${constraint}`,
  )
}
