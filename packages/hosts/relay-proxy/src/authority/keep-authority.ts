import type { Table } from "@sealway/ports"
import { createAuthority, findAuthority, replaceAuthority } from "./authority-table.ts"
import type { Authority } from "./certificates.ts"
import type { AuthoritySeal } from "./sealed-authority.ts"

export interface AuthorityPlace {
  /** Null: the root. */
  readonly appId: string | null
  readonly seal: AuthoritySeal
  /** Creates it with new keys. */
  readonly make: () => Promise<Authority>
  /** Reissues the certificate for the same keys when it is about to expire; null otherwise. */
  readonly renew: (authority: Authority) => Promise<Authority> | null
}

/**
 * Returns an authority: created when there is none, renewed when it is about to expire. Of several concurrent processes
 * one wins, and all of them return what it wrote.
 */
export async function keepAuthority(table: Table, place: AuthorityPlace): Promise<Authority> {
  const { appId, seal, make, renew } = place
  for (;;) {
    const stored = await findAuthority(table, appId)
    if (stored === null) {
      const made = await make()
      if (await createAuthority(table, appId, await seal.seal(made))) return made
      continue
    }
    const authority = await seal.open(stored)
    const renewed = await renew(authority)
    if (renewed === null) return authority
    const replacement = { ...(await seal.seal(renewed)), revision: stored.revision }
    if (await replaceAuthority(table, appId, replacement)) return renewed
  }
}
