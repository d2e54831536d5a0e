import type { Statement } from "./iam-policy.ts"

/** A call of KMS by a role, as IAM and the key's policy see it. */
export interface KmsCall {
  readonly action: "kms:Decrypt" | "kms:Encrypt"
  /** `arn:aws:iam::<AWS::AccountId>:role/sealway-ada-encrypt` */
  readonly roleArn: string
  readonly context: Readonly<Record<string, string>>
}

const KEY_OF_PART = "kms:EncryptionContext:"

/** Returns whether statements allow a call, and none denies it. */
export function allowsKmsCall(statements: readonly Statement[], call: KmsCall): boolean {
  const matching = statements.filter(
    ({ Action, Condition }) =>
      Action.includes(call.action) &&
      Object.entries(Condition).every(([operator, keys]) =>
        Object.entries(keys).every(([key, wanted]) => holds(operator, wanted, valuesOf(key, call))),
      ),
  )
  return matching.length > 0 && matching.every(({ Effect }) => Effect === "Allow")
}

function valuesOf(key: string, { roleArn, context }: KmsCall): readonly string[] {
  if (key === "aws:PrincipalArn") return [roleArn]
  if (key === "kms:EncryptionContextKeys") return Object.keys(context)
  const value = key.startsWith(KEY_OF_PART) ? context[key.slice(KEY_OF_PART.length)] : undefined
  return value === undefined ? [] : [value]
}

/** @param values those of the call; none: the condition's key is missing */
function holds(operator: string, wanted: readonly string[], values: readonly string[]): boolean {
  const isWanted = (value: string) => wanted.includes(value)
  if (operator === "ForAllValues:StringEquals") return values.every(isWanted)
  if (operator === "Null") return isWanted(String(values.length === 0))
  if (operator === "StringEquals" || operator === "ArnEquals") return values.some(isWanted)
  if (operator === "ArnLike") return false
  throw new Error(`This operator is not known here: ${operator}`)
}
