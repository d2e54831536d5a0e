import { constants, type webcrypto } from "node:crypto"
import { createSecureContext, type SecureContext } from "node:tls"
import type { App } from "@sealway/accounts"
import { type Clocks, createCache } from "@sealway/kernel"
import type { Keyring, KmsEnvelope } from "@sealway/keys"
import type { Table } from "@sealway/ports"
import { createAuthority, findAuthority, replaceAuthority } from "./authority-table.ts"
import type { Authority } from "./certificates.ts"
import { type AuthoritySeal, appSeal, rootSeal } from "./sealed-authority.ts"

/** The library for certificates, two hundred modules, is loaded with the first certificate: many processes need none. */
const loadCertificates = () => import("./certificates.ts")

const YEAR_MS = 365 * 24 * 60 * 60_000
/**
 * An authority is reissued, with the same key and name, when it has this much time left, so that clients that trust the
 * older certificate also trust what the new one signs. A root is renewed early enough to outlive every app's authority.
 */
const RENEWED_BEFORE_MS = { root: 6 * YEAR_MS, app: YEAR_MS } as const
/** How long an opened authority stays in memory: as long as apps' keys do. */
const OPENED_TTL_MS = 5 * 60_000
/** How long a leaf is served: it is valid for a week, so that even a machine that slept for days has a valid one. */
const LEAF_TTL_MS = 24 * 60 * 60_000
const MAX_AUTHORITIES = 1_000
const MAX_LEAVES = 1_000

/**
 * Issues certificates for hosts to clients of the forward proxy: one root per deployment, which clients trust, and one
 * authority per app, signed by it. Leaves are created on request and never stored.
 */
export interface RelayAuthority {
  /** Returns the deployment's root, in PEM. */
  rootChain(): Promise<string>
  /** Returns an app's authority and the root that signed it, in PEM and in this order. */
  appChain(app: App): Promise<string>
  /**
   * Returns what a TLS server needs to act as a host: TLS 1.2 and 1.3, the leaf and the certificates between it and the
   * root.
   *
   * @param names DNS names in lower case, IP addresses without brackets
   * @param app the app whose authority signs; null: the root
   */
  secureContext(names: readonly string[], app: App | null): Promise<SecureContext>
}

export interface RelayAuthorityDependencies extends Clocks {
  /** The config table. */
  readonly table: Table
  readonly envelope: KmsEnvelope
  readonly keyring: Pick<Keyring, "newest" | "open">
}

export function createRelayAuthority(dependencies: RelayAuthorityDependencies): RelayAuthority {
  const { table, envelope, keyring, now, wallClock } = dependencies
  const authorities = createCache<Authority>({ maxEntries: MAX_AUTHORITIES, ttlMs: OPENED_TTL_MS, now })
  // On the clock that certificates are compared with.
  const leaves = createCache<SecureContext>({ maxEntries: MAX_LEAVES, ttlMs: LEAF_TTL_MS, now: wallClock })
  /**
   * One key for all leaves: creating one for each would cost more than the leaf, and all are in the same memory anyway.
   */
  let leafKeys: Promise<webcrypto.CryptoKeyPair> | null = null

  const isNearEnd = ({ certificate }: Authority, kind: keyof typeof RENEWED_BEFORE_MS) =>
    certificate.notAfter.getTime() - wallClock() < RENEWED_BEFORE_MS[kind]

  async function certified(keys: webcrypto.CryptoKeyPair, app: App | null): Promise<Authority> {
    const { issueAppAuthority, issueRoot } = await loadCertificates()
    const certificate =
      app === null
        ? await issueRoot(keys, wallClock())
        : await issueAppAuthority(await authorityOf(null), keys, app.id, wallClock())
    return { certificate, keys }
  }

  async function authorityOf(app: App | null): Promise<Authority> {
    const kind = app === null ? "root" : "app"
    const found = await authorities.get(app?.id ?? "", () =>
      keepAuthority(table, {
        appId: app?.id ?? null,
        seal: app === null ? rootSeal(envelope) : appSeal(keyring, app),
        make: async () => certified(await (await loadCertificates()).generateKeys(), app),
        renew: (authority) => (isNearEnd(authority, kind) ? certified(authority.keys, app) : null),
      }),
    )
    if (found === null) throw new Error("An authority is never absent")
    return found
  }

  async function serverContext(names: readonly string[], app: App | null): Promise<SecureContext> {
    const { certificatePem, generateKeys, issueLeaf, privateKeyPem } = await loadCertificates()
    leafKeys ??= generateKeys()
    const [issuer, { publicKey, privateKey }] = await Promise.all([authorityOf(app), leafKeys])
    const leaf = await issueLeaf(issuer, publicKey, names, wallClock())
    return createSecureContext({
      key: privateKeyPem(privateKey),
      cert: certificatePem(leaf) + (app === null ? "" : certificatePem(issuer.certificate)),
      minVersion: "TLSv1.2",
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    })
  }

  return {
    async rootChain() {
      const { certificatePem } = await loadCertificates()
      return certificatePem((await authorityOf(null)).certificate)
    },
    async appChain(app) {
      const { certificatePem } = await loadCertificates()
      const [authority, root] = await Promise.all([authorityOf(app), authorityOf(null)])
      return certificatePem(authority.certificate) + certificatePem(root.certificate)
    },
    async secureContext(names, app) {
      const context = await leaves.get(`${app?.id ?? ""} ${names.join(" ")}`, () => serverContext(names, app))
      if (context === null) throw new Error("A certificate is never absent")
      return context
    },
  }
}

interface AuthorityPlace {
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
async function keepAuthority(table: Table, place: AuthorityPlace): Promise<Authority> {
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
