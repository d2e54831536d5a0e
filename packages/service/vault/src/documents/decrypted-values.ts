/** What one decryption opened: counts of values, nothing of their content. */
export interface DecryptedValues {
  /** By the slug of their data role. Absent means 0. */
  readonly roles: ReadonlyMap<string, number>
  readonly withoutRole: number
  /** Whether one of the roles requires a record in the audit log before the values are returned. */
  readonly isStrict: boolean
}

/** An encrypted file has no data role. */
export const ONE_FILE: DecryptedValues = { roles: new Map(), withoutRole: 1, isStrict: false }

/** Returns how many values were opened, with and without a role. */
export function countDecrypted({ roles, withoutRole }: Omit<DecryptedValues, "isStrict">): number {
  let total = withoutRole
  for (const values of roles.values()) total += values
  return total
}
