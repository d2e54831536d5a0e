import type { App } from "@sealway/accounts"
import { andThen, type BoundedMap, KeyUnavailableError, type MaybePromise } from "@sealway/kernel"
import type { Keyring, KeyVersion } from "@sealway/keys"
import {
  type AgreedContent,
  type ContentKey,
  candidateContentKeys,
  deriveContentKey,
  hasOtherDerivation,
  InvalidTokenError,
} from "@sealway/tokens"
import { createHsmAgreements, type HsmAgreements } from "./hsm-agreements.ts"
import type { Open, OpeningKey } from "./opening-key.ts"
import { versionNumbers } from "./version-numbers.ts"

/**
 * Opens values whose content key was agreed on, during one request. They do not name their key version: versions are tried
 * newest first, and only a successful opening tells. Values that share an ephemeral key were sealed to one version: they
 * share one key agreement, also with later requests, as long as the version stays open.
 *
 * A version in an HSM makes its key agreements in KMS, at most 200 in a request. If KMS cannot use its key, the other
 * versions are still tried.
 */
export interface AgreedOpenings {
  /**
   * @param id of the value's content key
   * @throws InvalidTokenError when none of the app's versions opens it; KeyUnavailableError when one that might cannot be used
   */
  open<Opened>(id: string, sealed: AgreedContent, open: Open<Opened>): MaybePromise<Opened>
  /** Whether opening further values may take calls of KMS, as far as those before tell. */
  asksKms(): boolean
}

/** @param keys those that have opened values, by the ids of content keys */
export function createAgreedOpenings(
  keyring: Keyring,
  app: App,
  keys: BoundedMap<OpeningKey>,
): AgreedOpenings {
  /** The app's versions that are in memory, newest first. Null until they are needed, and after another was opened. */
  let inMemory: readonly KeyVersion[] | null = null
  /** Most requests have none. */
  let hsm: HsmAgreements | null = null
  /** The version that has opened a value last. */
  let opening: KeyVersion | null = null
  /** Why a version could not be tried. */
  let unavailable: KeyUnavailableError | null = null

  /** Without a promise when the versions are in memory: promises would take a third as long as the key agreement. */
  function openAgreed<Opened>(id: string, sealed: AgreedContent, open: Open<Opened>): MaybePromise<Opened> {
    return andThen(inMemory ?? findInMemory(), (versions) => {
      const kept = keptKey(id, sealed, versions)
      if (kept === null) return agree(id, sealed, open, versions)
      return andThen(tryKey(id, kept, open), (opened) => opened ?? agree(id, sealed, open, versions))
    })
  }

  function findInMemory(): MaybePromise<readonly KeyVersion[]> {
    return andThen(keyring.versions(app), (numbers) => {
      inMemory = numbers.flatMap((version) => keyring.peek(app, version) ?? [])
      return inMemory
    })
  }

  /** Returns the content key that an earlier request has agreed on; null if there is none. */
  function keptKey(id: string, { curve }: AgreedContent, versions: readonly KeyVersion[]): OpeningKey | null {
    for (const { contentKeys, publicKeys } of versions) {
      const kept = contentKeys.get(id)
      const appPublicKey = publicKeys[curve]
      if (kept !== undefined && appPublicKey !== null) return { ...kept, appPublicKey }
    }
    return null
  }

  function agree<Opened>(
    id: string,
    sealed: AgreedContent,
    open: Open<Opened>,
    versions: readonly KeyVersion[],
  ): MaybePromise<Opened> {
    const attempts = function* () {
      for (const version of inOrderOfCost(versions)) yield openWithVersion(id, sealed, open, version)
    }
    return andThen(tryInTurn(attempts()), (opened) => opened ?? openWithOthers(id, sealed, open, versions))
  }

  /**
   * Puts versions in an HSM last, each of which may take a call of KMS, and first of these the one that has opened a value
   * last: values that are read together were often sealed to the same version.
   */
  function inOrderOfCost(versions: readonly KeyVersion[]): readonly KeyVersion[] {
    if (!versions.some(isInHsm)) return versions
    const costOf = (version: KeyVersion) => (isInHsm(version) ? (version === opening ? 1 : 2) : 0)
    return versions.toSorted((left, right) => costOf(left) - costOf(right))
  }

  /** Tries the versions that are not in memory, or that another process has added. */
  async function openWithOthers<Opened>(
    id: string,
    sealed: AgreedContent,
    open: Open<Opened>,
    tried: readonly KeyVersion[],
  ): Promise<Opened> {
    const numbers = new Set(tried.map(({ version }) => version))
    for await (const version of versionNumbers(keyring, app)) {
      if (numbers.has(version)) continue
      numbers.add(version)
      const opened = await openWithVersion(id, sealed, open, await keyring.open(app, version, "private"))
      inMemory = null
      if (opened !== null) return opened
    }
    throw unavailable ?? new InvalidTokenError()
  }

  function openWithVersion<Opened>(
    id: string,
    sealed: AgreedContent,
    open: Open<Opened>,
    version: KeyVersion,
  ): MaybePromise<Opened | null> {
    const { publicKeys, contentKeys } = version
    const appPublicKey = publicKeys[sealed.curve]
    if (appPublicKey === null) return null
    const tryAgreed = (contentKey: ContentKey): MaybePromise<Opened | null> => {
      const key = { contentKey, honeyMarks: version.honeyMarks(sealed.ephemeralPublicKey) }
      return andThen(tryKey(id, { ...key, appPublicKey }, open), (opened) => {
        if (opened === null) return null
        contentKeys.keep(id, key)
        opening = version
        return opened
      })
    }
    const attempts = function* (secret: Uint8Array): Generator<MaybePromise<Opened | null>> {
      for (const contentKey of candidateContentKeys(sealed, secret)) yield tryAgreed(contentKey)
    }
    const secret = isInHsm(version)
      ? agreeInKms(version, sealed)
      : version.sharedSecret(sealed.curve, sealed.ephemeralPublicKey)
    return andThen(secret, (known) => {
      if (known === null) return null
      if (hasOtherDerivation(sealed)) return tryInTurn(attempts(known))
      return tryAgreed(deriveContentKey(sealed, known))
    })
  }

  /** Returns null when KMS cannot use the key. */
  async function agreeInKms(version: KeyVersion, sealed: AgreedContent): Promise<Buffer | null> {
    try {
      hsm ??= createHsmAgreements()
      return await hsm.agree(version, sealed)
    } catch (error) {
      if (!(error instanceof KeyUnavailableError)) throw error
      unavailable = error
      return null
    }
  }

  function tryKey<Opened>(id: string, key: OpeningKey, open: Open<Opened>): MaybePromise<Opened | null> {
    return andThen(
      unlessInvalid(() => open(key)),
      (opened) => {
        if (opened === null) return null
        keys.set(id, key)
        return opened
      },
    )
  }

  return {
    open(id, sealed, open) {
      const known = keys.get(id)
      if (known === undefined) return openAgreed(id, sealed, open)
      if (!hasOtherDerivation(sealed)) return open(known)
      return andThen(
        unlessInvalid(() => open(known)),
        (opened) => opened ?? openWithOthers(id, sealed, open, []),
      )
    },
    asksKms: () => (hsm?.count() ?? 0) > 0 || inMemory?.some(isInHsm) === true,
  }
}

function isInHsm({ custody }: KeyVersion): boolean {
  return custody === "hsm"
}

/** Makes attempts, each after the one before it has failed. Returns null when all fail. */
function tryInTurn<Opened>(attempts: Iterator<MaybePromise<Opened | null>>): MaybePromise<Opened | null> {
  for (;;) {
    const { done, value } = attempts.next()
    if (done === true) return null
    if (value instanceof Promise) return value.then((opened) => opened ?? tryInTurn(attempts))
    if (value !== null) return value
  }
}

/** Returns null when it is not this key's. */
function unlessInvalid<Value>(open: () => MaybePromise<Value>): MaybePromise<Value | null> {
  try {
    const opened = open()
    return opened instanceof Promise ? opened.catch(nullIfInvalid) : opened
  } catch (error) {
    return nullIfInvalid(error)
  }
}

function nullIfInvalid(error: unknown): null {
  if (error instanceof InvalidTokenError) return null
  throw error
}
