import { createSecretKey, generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from "node:crypto"
import { KeyUnavailableError } from "@sealway/kernel"
import { UnavailableError } from "@sealway/ports/errors"

/** A key. Its secret never leaves this process, except wrapped. */
export type StoredKey = SymmetricKey | AgreementKey

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

export interface KeyStoreContent {
  /** By id. */
  readonly keys: ReadonlyMap<string, StoredKey>
  /** Key ids by alias name (`alias/…`). */
  readonly aliases: ReadonlyMap<string, string>
}

export const EMPTY_KEY_STORE: KeyStoreContent = { keys: new Map(), aliases: new Map() }

/** The keys of one machine. A change is saved before it is answered or visible. */
export class KeyStore {
  #content: KeyStoreContent
  readonly #save: (content: KeyStoreContent) => Promise<void>
  #lastChange: Promise<unknown> = Promise.resolve()

  constructor(content: KeyStoreContent, save: (content: KeyStoreContent) => Promise<void>) {
    this.#content = content
    this.#save = save
  }

  /** Creates the symmetric key of an alias, unless there is one. @throws UnavailableError when it cannot be saved */
  async ensureKey(alias: string, description: string): Promise<void> {
    await this.#change(({ keys, aliases }) => {
      if (aliases.has(alias)) return null
      const key: SymmetricKey = {
        ...newKey(description),
        spec: "SYMMETRIC_DEFAULT",
        secret: createSecretKey(randomBytes(32)),
      }
      return { keys: new Map(keys).set(key.id, key), aliases: new Map(aliases).set(alias, key.id) }
    })
  }

  /** @throws UnavailableError when it cannot be saved */
  async createAgreementKey(description: string, tags: ReadonlyMap<string, string>): Promise<AgreementKey> {
    const { privateKey: secret } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
    const key: AgreementKey = { ...newKey(description), tags, spec: "ECC_NIST_P256", secret }
    await this.#change(({ keys, aliases }) => ({ keys: new Map(keys).set(key.id, key), aliases }))
    return key
  }

  /**
   * Stops the use of a key, and deletes it with the first change after a date.
   *
   * @throws KeyUnavailableError when it is going to be deleted already, or gone
   * @throws UnavailableError when that cannot be saved
   */
  async scheduleDeletion(keyId: string, deletionDate: Date): Promise<void> {
    await this.#change(({ keys, aliases }) => {
      const key = requireInUse(keys.get(keyId) ?? null)
      return { keys: new Map(keys).set(keyId, { ...key, deletionDate }), aliases }
    })
  }

  /** Returns all keys, in order of their ids. */
  list(): readonly StoredKey[] {
    return [...this.#content.keys.values()]
      .filter((key) => !isDeleted(key))
      .sort((left, right) => (left.id < right.id ? -1 : 1))
  }

  /** Finds a key by its id or alias; null when there is none. */
  find(name: string): StoredKey | null {
    const key = this.#content.keys.get(this.#content.aliases.get(name) ?? name)
    return key === undefined || isDeleted(key) ? null : key
  }

  /** One change at a time: two for one alias must not both find it free. @param apply null: nothing changes */
  #change(apply: (content: KeyStoreContent) => KeyStoreContent | null): Promise<void> {
    const change = this.#lastChange.then(async () => {
      const changed = apply(this.#content)
      if (changed === null) return
      const next = withoutDeleted(changed)
      try {
        await this.#save(next)
      } catch (error) {
        throw new UnavailableError("The keys cannot be written. Check that their folder is writable.", {
          cause: error,
        })
      }
      this.#content = next
    })
    this.#lastChange = change.catch(() => undefined)
    return change
  }
}

/** @throws KeyUnavailableError when there is none, or it is going to be deleted */
export function requireInUse(key: StoredKey | null): StoredKey {
  if (key === null || key.deletionDate !== null) throw new KeyUnavailableError()
  return key
}

function newKey(description: string): CommonKey {
  return { id: randomUUID(), description, createdAt: new Date(), tags: new Map(), deletionDate: null }
}

function isDeleted({ deletionDate }: StoredKey): boolean {
  return deletionDate !== null && deletionDate.getTime() <= Date.now()
}

function withoutDeleted({ keys, aliases }: KeyStoreContent): KeyStoreContent {
  const kept = new Map([...keys].filter(([, key]) => !isDeleted(key)))
  return { keys: kept, aliases: new Map([...aliases].filter(([, keyId]) => kept.has(keyId))) }
}
