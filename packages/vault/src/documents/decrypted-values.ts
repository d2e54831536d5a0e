/** What one decryption has opened: numbers of values, nothing of what they hold. */
export interface DecryptedValues {
  /** By the slug of their data role; none is 0. */
  readonly roles: ReadonlyMap<string, number>
  readonly withoutRole: number
  /** Whether one of the roles asks for a record in the audit log before the values are handed out. */
  readonly isStrict: boolean
}

/** An encrypted file has no data role. */
export const ONE_FILE: DecryptedValues = { roles: new Map(), withoutRole: 1, isStrict: false }

/** How many values of all roles and none were opened. */
export function countDecrypted({ roles, withoutRole }: Omit<DecryptedValues, "isStrict">): number {
  let total = withoutRole
  for (const values of roles.values()) total += values
  return total
}
