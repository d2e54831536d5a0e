import type { Table } from "@sealway/platform"
import { createAuthority, findAuthority, replaceAuthority } from "./authority-table.ts"
import type { Authority } from "./certificates.ts"
import type { AuthoritySeal } from "./sealed-authority.ts"

export interface AuthorityPlace {
  /** Null: the root's place. */
  readonly appId: string | null
  readonly seal: AuthoritySeal
  /** Makes it, keys and all. */
  readonly make: () => Promise<Authority>
  /** Certifies the same keys anew when the certificate is near its end; null while it is not. */
  readonly renew: (authority: Authority) => Promise<Authority> | null
}

/**
 * The authority of a place, made when there is none, renewed when its time has come. Of processes that do so at once
 * one wins, and all of them end with what it wrote.
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
