import { createSecretKey, generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from "node:crypto"
import { parseKeyIdentifier } from "./key-identifier.ts"
import { KmsError } from "./kms-error.ts"

/** A KMS key. Its secret never leaves the KMS. */
export type KmsKey = SymmetricKey | AgreementKey

interface CommonKey {
  /** A UUID. */
  readonly id: string
  readonly description: string
  readonly createdAt: Date
  readonly tags: ReadonlyMap<string, string>
  /** When it is going to be deleted; null: it is in use. */
  readonly deletionDate: Date | null
}

/** Encrypts and decrypts. */
export interface SymmetricKey extends CommonKey {
  readonly spec: "SYMMETRIC_DEFAULT"
  /** 32 bytes. */
  readonly secret: KeyObject
}

/** Computes shared secrets with others' public keys, by ECDH. */
export interface AgreementKey extends CommonKey {
  readonly spec: "ECC_NIST_P256"
  /** A private key on P-256. */
  readonly secret: KeyObject
}

/** The content of a KMS. */
export interface KeyStoreContent {
  /** By id. */
  readonly keys: ReadonlyMap<string, KmsKey>
  /** Key ids by alias name (`alias/…`). */
  readonly aliases: ReadonlyMap<string, string>
}

export const EMPTY_KEY_STORE: KeyStoreContent = { keys: new Map(), aliases: new Map() }

/** The keys and aliases of the embedded KMS. A change is saved before it is answered or visible. */
export class KeyStore {
  #content: KeyStoreContent
  readonly #save: (content: KeyStoreContent) => Promise<void>
  #lastChange: Promise<unknown> = Promise.resolve()

  constructor(content: KeyStoreContent, save: (content: KeyStoreContent) => Promise<void>) {
    this.#content = content
    this.#save = save
  }

  /** @param spec Default: a symmetric key @param tags Default: none */
  async createKey(
    description: string,
    spec: KmsKey["spec"] = "SYMMETRIC_DEFAULT",
    tags: ReadonlyMap<string, string> = new Map(),
  ): Promise<KmsKey> {
    const secret =
      spec === "SYMMETRIC_DEFAULT"
        ? createSecretKey(randomBytes(32))
        : generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey
    const key: KmsKey = {
      ...{ id: randomUUID(), description, createdAt: new Date(), tags, deletionDate: null },
      ...{ spec, secret },
    }
    await this.#change(({ keys, aliases }) => ({ keys: new Map(keys).set(key.id, key), aliases }))
    return key
  }

  /**
   * Stops the use of a key, and deletes it with the first change after a date.
   *
   * @throws KmsError KMSInvalidStateException when it is going to be deleted already
   */
  async scheduleDeletion(keyId: string, deletionDate: Date): Promise<void> {
    await this.#change(({ keys, aliases }) => {
      const key = keys.get(keyId)
      if (key === undefined) throw notFound()
      requireInUse(key)
      return { keys: new Map(keys).set(keyId, { ...key, deletionDate }), aliases }
    })
  }

  /** @throws KmsError AlreadyExistsException when the alias is taken by any key. */
  async createAlias(alias: string, key: KmsKey): Promise<void> {
    await this.#change(({ keys, aliases }) => {
      if (aliases.has(alias))
        throw new KmsError("AlreadyExistsException", "An alias with that name already exists")
      return { keys, aliases: new Map(aliases).set(alias, key.id) }
    })
  }

  /** Returns all keys, in order of their ids. */
  list(): readonly KmsKey[] {
    return [...this.#content.keys.values()]
      .filter((key) => !isDeleted(key))
      .sort((left, right) => (left.id < right.id ? -1 : 1))
  }

  /** Finds a key by its id; null when there is none. */
  find(keyId: string): KmsKey | null {
    const key = this.#content.keys.get(keyId)
    return key === undefined || isDeleted(key) ? null : key
  }

  /**
   * Finds the key that a request names by id, alias, or the ARN of either.
   *
   * @throws KmsError NotFoundException when there is none.
   */
  resolve(identifier: string): KmsKey {
    const parsed = parseKeyIdentifier(identifier)
    const keyId = parsed && "alias" in parsed ? this.#content.aliases.get(parsed.alias) : parsed?.keyId
    const key = keyId === undefined ? null : this.find(keyId)
    if (key === null) throw notFound()
    return key
  }

  /** One change at a time: two requests for one alias must not both find it free, nor overwrite each other. */
  #change(apply: (content: KeyStoreContent) => KeyStoreContent): Promise<void> {
    const change = this.#lastChange.then(async () => {
      const next = withoutDeleted(apply(this.#content))
      await this.#save(next)
      this.#content = next
    })
    this.#lastChange = change.catch(() => undefined)
    return change
  }
}

/** @throws KmsError KMSInvalidStateException when the key is going to be deleted */
export function requireInUse({ deletionDate }: KmsKey): void {
  if (deletionDate !== null) throw new KmsError("KMSInvalidStateException", "The key is pending deletion.")
}

function isDeleted({ deletionDate }: KmsKey): boolean {
  return deletionDate !== null && deletionDate.getTime() <= Date.now()
}

function withoutDeleted({ keys, aliases }: KeyStoreContent): KeyStoreContent {
  const kept = new Map([...keys].filter(([, key]) => !isDeleted(key)))
  return { keys: kept, aliases: new Map([...aliases].filter(([, keyId]) => kept.has(keyId))) }
}

function notFound(): KmsError {
  return new KmsError("NotFoundException", "The key or alias does not exist")
}
