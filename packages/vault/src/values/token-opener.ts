import { andThen, type MaybePromise, processTurns, type Turns } from "@sealway/kernel"
import type { App, Keyring, KeyVersion } from "@sealway/platform"
import {
  type AgreedContent,
  type ContentKey,
  candidateContentKeys,
  contentKeyId,
  hasOtherDerivation,
  InvalidTokenError,
  isSymmetric,
  LARGE_VALUE_BYTES,
  type OpenedValue,
  openFileInSteps,
  openToken,
  openTokenInSteps,
  type ParsedFile,
  type ParsedToken,
  type SealedContent,
  type SymmetricContent,
} from "@sealway/tokens"

/** Opens the tokens and files of one app, during one request. */
export interface TokenOpener {
  /** @throws InvalidTokenError when none of the app's key versions opens it */
  openToken(token: ParsedToken): MaybePromise<OpenedValue>
  /** @throws InvalidTokenError when none of the app's key versions opens it */
  openFile(file: ParsedFile): MaybePromise<Buffer>
}

interface Key {
  readonly contentKey: ContentKey
  readonly appPublicKey: Buffer
}

/**
 * Creates an opener.
 *
 * A symmetric token names its key version. Any other does not: versions are tried newest first, and only a successful
 * opening tells. Values that share an ephemeral key were sealed to one version: they share one key agreement, also with
 * later requests, as long as the version stays open.
 *
 * @param turns the turns of long-running work. Default: the process's
 */
export function createTokenOpener(keyring: Keyring, app: App, turns: Turns = processTurns): TokenOpener {
  const keys = new Map<string, Key>()
  function openWith<Opened>(
    sealed: SealedContent,
    open: (key: Key) => MaybePromise<Opened>,
  ): MaybePromise<Opened> {
    const id = contentKeyId(sealed)
    const known = keys.get(id)
    if (isSymmetric(sealed)) return known === undefined ? openSymmetric(id, sealed, open) : open(known)
    if (known === undefined) return openAgreed(id, sealed, open)
    if (!hasOtherDerivation(sealed)) return open(known)
    return andThen(
      unlessInvalid(() => open(known)),
      (opened) => opened ?? openWithOneOf(id, sealed, open),
    )
  }

  function openSymmetric<Opened>(
    id: string,
    sealed: SymmetricContent,
    open: (key: Key) => MaybePromise<Opened>,
  ): MaybePromise<Opened> {
    const version = keyring.peek(app, sealed.keyVersion) ?? findVersion(sealed.keyVersion)
    return andThen(version, ({ symmetric, publicKeys }) => {
      const key = { contentKey: symmetric.contentKey(sealed), appPublicKey: publicKeys.prime256v1 }
      return andThen(open(key), (opened) => {
        keys.set(id, key)
        return opened
      })
    })
  }

  async function findVersion(version: number): Promise<KeyVersion> {
    for (const list of [() => keyring.versions(app), () => keyring.refreshedVersions(app)]) {
      if ((await list()).includes(version)) return keyring.open(app, version, "private")
    }
    throw new InvalidTokenError()
  }

  async function openAgreed<Opened>(
    id: string,
    sealed: AgreedContent,
    open: (key: Key) => MaybePromise<Opened>,
  ): Promise<Opened> {
    return (await openWithKept(id, sealed, open)) ?? openWithOneOf(id, sealed, open)
  }

  /** Tries content keys of earlier requests. Only a key that has opened a value is among them. */
  async function openWithKept<Opened>(
    id: string,
    sealed: AgreedContent,
    open: (key: Key) => MaybePromise<Opened>,
  ): Promise<Opened | null> {
    for (const version of await keyring.versions(app)) {
      const keyVersion = keyring.peek(app, version)
      const contentKey = keyVersion?.contentKeys.get(id)
      if (keyVersion === undefined || contentKey === undefined) continue
      const key = { contentKey, appPublicKey: keyVersion.publicKeys[sealed.curve] }
      const opened = await unlessInvalid(() => open(key))
      if (opened === null) continue
      keys.set(id, key)
      return opened
    }
    return null
  }

  async function openWithOneOf<Opened>(
    id: string,
    sealed: AgreedContent,
    open: (key: Key) => MaybePromise<Opened>,
  ): Promise<Opened> {
    const tried = new Set<number>()
    for (const list of [() => keyring.versions(app), () => keyring.refreshedVersions(app)]) {
      for (const version of await list()) {
        if (tried.has(version)) continue
        tried.add(version)
        const opened = await openWithVersion(id, sealed, open, await keyring.open(app, version, "private"))
        if (opened !== null) return opened
      }
    }
    throw new InvalidTokenError()
  }

  async function openWithVersion<Opened>(
    id: string,
    sealed: AgreedContent,
    open: (key: Key) => MaybePromise<Opened>,
    keyVersion: KeyVersion,
  ): Promise<Opened | null> {
    const secret = await keyVersion.sharedSecret(sealed.curve, sealed.ephemeralPublicKey)
    for (const contentKey of candidateContentKeys(sealed, secret)) {
      const key = { contentKey, appPublicKey: keyVersion.publicKeys[sealed.curve] }
      const opened = await unlessInvalid(() => open(key))
      if (opened === null) continue
      keys.set(id, key)
      keyVersion.contentKeys.keep(id, contentKey)
      return opened
    }
    return null
  }

  return {
    openToken: (token) =>
      openWith(token, (key) =>
        token.ciphertext.length < LARGE_VALUE_BYTES
          ? openToken(token, key.contentKey, key.appPublicKey)
          : turns.run(openTokenInSteps(token, key.contentKey, key.appPublicKey)),
      ),
    openFile: (file) =>
      openWith(file, (key) => turns.run(openFileInSteps(file, key.contentKey, key.appPublicKey))),
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
