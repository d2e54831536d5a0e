/** What one decryption opened: counts of values, nothing of their content. */
export interface DecryptedValues {
  /** By the slug of their data role. Absent means 0. */
  readonly roles: ReadonlyMap<string, number>
  readonly withoutRole: number
  /** Whether one of the roles requires a record in the audit log before the values are returned. */
  readonly isStrict: boolean
  /** How many of these values are masked, by the slug of their data role; null for those without a role. */
  readonly masked: ReadonlyMap<string | null, number>
}

/** No value is masked. */
export const NONE_MASKED: DecryptedValues["masked"] = new Map()

/** An encrypted file has no data role. */
export const ONE_FILE: DecryptedValues = {
  roles: new Map(),
  withoutRole: 1,
  isStrict: false,
  masked: NONE_MASKED,
}

/** Returns how many values were opened, with and without a role, masked ones included. */
export function countDecrypted({
  roles,
  withoutRole,
}: Pick<DecryptedValues, "roles" | "withoutRole">): number {
  let total = withoutRole
  for (const values of roles.values()) total += values
  return total
}

export function countMasked({ masked }: Pick<DecryptedValues, "masked">): number {
  let total = 0
  for (const values of masked.values()) total += values
  return total
}
