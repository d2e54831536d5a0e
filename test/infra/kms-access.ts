import { allows, type Statement } from "./iam-policy.ts"

/** A call of KMS by a role, as IAM and the key's policy see it. */
export interface KmsCall {
  readonly action: "kms:Decrypt" | "kms:Encrypt"
  /** `arn:aws:iam::<AWS::AccountId>:role/sealway-ada-encrypt` */
  readonly roleArn: string
  readonly context: Readonly<Record<string, string>>
}

const KEY_OF_PART = "kms:EncryptionContext:"

/** Returns whether statements allow a call, and none denies it. */
export function allowsKmsCall(
  statements: readonly Statement[],
  { action, roleArn, context }: KmsCall,
): boolean {
  return allows(statements, {
    action,
    resource: null,
    valuesOf: (key) => (key === "aws:PrincipalArn" ? [roleArn] : contextValues(key, context)),
  })
}

/** Returns the values of a condition's key that are in a call's encryption context. */
export function contextValues(key: string, context: KmsCall["context"]): readonly string[] {
  if (key === "kms:EncryptionContextKeys") return Object.keys(context)
  const value = key.startsWith(KEY_OF_PART) ? context[key.slice(KEY_OF_PART.length)] : undefined
  return value === undefined ? [] : [value]
}
