import type { App } from "@sealway/accounts"
import {
  andThen,
  createBoundedMap,
  KeyUnavailableError,
  type MaybePromise,
  processTurns,
  type Turns,
} from "@sealway/kernel"
import type { Keyring, KeyVersion } from "@sealway/keys"
import {
  type AgreedContent,
  type ContentKey,
  candidateContentKeys,
  contentKeyId,
  deriveContentKey,
  deriveStreamKey,
  hasOtherDerivation,
  InvalidTokenError,
  isOfSubject,
  isSymmetric,
  LARGE_VALUE_BYTES,
  type OpenedValue,
  openFileInSteps,
  openToken,
  openTokenInSteps,
  type ParsedFile,
  type ParsedToken,
  type SealedContent,
  type StreamHeader,
  type SymmetricContent,
  takesAgreement,
} from "@sealway/tokens"
import { type HoneyValue, honeyValueOf, isHoney } from "./honey-value.ts"
import { createHsmAgreements, type HsmAgreements } from "./hsm-agreements.ts"
import type { Open, OpeningKey } from "./opening-key.ts"
import { createSubjectOpenings, type SubjectOpenings } from "./subject-openings.ts"

/**
 * Opens the tokens and files of one app, during one request. A honey token is opened like any other and then kept back.
 * So is a file that was made of one: a `Tk9D` token and a file of version 3 are sealed alike.
 */
export interface TokenOpener {
  /**
   * @throws InvalidTokenError when none of the app's keys opens it; ErasedSubjectError when its data subject is erased or
   * going to be
   */
  openToken(token: ParsedToken): MaybePromise<OpenedValue | HoneyValue>
  /** @throws InvalidTokenError when none of the app's key versions opens it */
  openFile(file: ParsedFile): MaybePromise<Buffer | HoneyValue>
  /**
   * Whether opening further tokens may take calls of KMS, or reads of data subjects, as far as those before tell: time for
   * `TokensAhead`.
   */
  asksAws(): boolean
}

/** Opens the headers of streaming files. No honey token can be made into one: nobody else knows its content key. */
export interface StreamOpener {
  /**
   * Derives the key of a file's chunks, which shows that nobody changed the header.
   *
   * @returns 32 bytes
   * @throws InvalidTokenError when none of the app's key versions opens it
   */
  openStream(header: StreamHeader): MaybePromise<Buffer>
}

/** Finds the keys of tokens, so that honey tokens can share them. */
export interface OpeningKeys {
  /** @throws InvalidTokenError when none of the app's key versions opens the token */
  keyOf(token: ParsedToken): MaybePromise<OpeningKey>
}

/**
 * Says whether opening a token takes a key agreement, as far as the token opened before it tells: time to let others take
 * their turn.
 */
export function needsAgreement(token: ParsedToken, previous: ParsedToken | null): boolean {
  return takesAgreement(token) && (previous === null || contentKeyId(token) !== contentKeyId(previous))
}

/**
 * How many keys a request keeps: the last that it used. The garbage collector would free those of a request for 10,000
 * values in one long pause. Others are found where earlier requests' are.
 */
const MAX_KEYS = 200

/**
 * Creates an opener.
 *
 * A symmetric token names its key version. Any other does not: versions are tried newest first, and only a successful
 * opening tells. Values that share an ephemeral key were sealed to one version: they share one key agreement, also with
 * later requests, as long as the version stays open.
 *
 * A version in an HSM makes its key agreements in KMS, at most 200 in a request. If KMS cannot use its key, the other
 * versions are still tried.
 *
 * A token of a data subject names it. At most 1,000 of them that are not in memory are read in a request.
 *
 * @param turns the turns of long-running work. Default: the process's
 */
export function createTokenOpener(
  keyring: Keyring,
  app: App,
  turns: Turns = processTurns,
): TokenOpener & OpeningKeys & StreamOpener {
  const keys = createBoundedMap<OpeningKey>(MAX_KEYS)
  /** The key versions that symmetric values have named. */
  const named = new Map<number, KeyVersion>()
  /** The app's versions that are in memory, newest first. Null until they are needed, and after another was opened. */
  let inMemory: readonly KeyVersion[] | null = null
  /** Most requests have neither. */
  let hsm: HsmAgreements | null = null
  let ofSubjects: SubjectOpenings | null = null
  /** The version that has opened a value last. */
  let opening: KeyVersion | null = null
  /** Why a version could not be tried. */
  let unavailable: KeyUnavailableError | null = null

  function openWith<Opened>(sealed: SealedContent, open: Open<Opened>): MaybePromise<Opened> {
    const id = contentKeyId(sealed)
    if (isOfSubject(sealed)) {
      ofSubjects ??= createSubjectOpenings(keyring, app)
      return ofSubjects.open(id, sealed, open)
    }
    const known = keys.get(id)
    if (isSymmetric(sealed)) return known === undefined ? openSymmetric(id, sealed, open) : open(known)
    if (known === undefined) return openAgreed(id, sealed, open)
    if (!hasOtherDerivation(sealed)) return open(known)
    return andThen(
      unlessInvalid(() => open(known)),
      (opened) => opened ?? openWithOthers(id, sealed, open, []),
    )
  }

  function openSymmetric<Opened>(
    id: string,
    sealed: SymmetricContent,
    open: Open<Opened>,
  ): MaybePromise<Opened> {
    return andThen(namedVersion(sealed.keyVersion), ({ symmetric, publicKeys, honeyMarks }) => {
      if (symmetric === null) throw new InvalidTokenError()
      const key = {
        contentKey: symmetric.contentKey(sealed),
        honeyMarks: honeyMarks(sealed.keySegment),
        appPublicKey: publicKeys.prime256v1,
      }
      return andThen(open(key), (opened) => {
        keys.set(id, key)
        return opened
      })
    })
  }

  function namedVersion(version: number): MaybePromise<KeyVersion> {
    const known = named.get(version)
    if (known !== undefined) return known
    return andThen(keyring.peek(app, version) ?? findVersion(version), (found) => {
      named.set(version, found)
      return found
    })
  }

  /** The numbers of the versions that are known, newest first; then those of a fresh list, for what others have added. */
  async function* versionNumbers(): AsyncGenerator<number> {
    yield* await keyring.versions(app)
    yield* await keyring.refreshedVersions(app)
  }

  async function findVersion(version: number): Promise<KeyVersion> {
    for await (const number of versionNumbers()) {
      if (number === version) return keyring.open(app, version, "private")
    }
    throw new InvalidTokenError()
  }

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
    for await (const version of versionNumbers()) {
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
    openToken: (token) =>
      openWith(token, ({ contentKey, appPublicKey, honeyMarks }) => {
        const opened =
          token.ciphertext.length < LARGE_VALUE_BYTES
            ? openToken(token, contentKey, appPublicKey)
            : turns.run(openTokenInSteps(token, contentKey, appPublicKey))
        if (!isHoney(token.iv, honeyMarks)) return opened
        return andThen(opened, ({ role }) => honeyValueOf(token.iv, role))
      }),
    openFile: (file) =>
      openWith(file, ({ contentKey, appPublicKey, honeyMarks }) => {
        const opened = turns.run(openFileInSteps(file, contentKey, appPublicKey))
        return isHoney(file.iv, honeyMarks) ? andThen(opened, () => honeyValueOf(file.iv, null)) : opened
      }),
    openStream: (header) =>
      openWith(header, ({ contentKey, appPublicKey }) => deriveStreamKey(header, contentKey, appPublicKey)),
    keyOf: (token) =>
      openWith(token, (key) =>
        andThen(turns.run(openTokenInSteps(token, key.contentKey, key.appPublicKey)), () => key),
      ),
    asksAws: () =>
      (ofSubjects?.count() ?? 0) > 0 || (hsm?.count() ?? 0) > 0 || inMemory?.some(isInHsm) === true,
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
