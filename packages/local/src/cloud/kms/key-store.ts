import { createSecretKey, type KeyObject, randomBytes, randomUUID } from "node:crypto"
import { parseKeyIdentifier } from "./key-identifier.ts"
import { KmsError } from "./kms-error.ts"

/** A symmetric KMS key. */
export interface KmsKey {
  /** A UUID. */
  readonly id: string
  readonly description: string
  readonly createdAt: Date
  /** 32 bytes; never leaves the KMS. */
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

  async createKey(description: string): Promise<KmsKey> {
    const key: KmsKey = {
      id: randomUUID(),
      description,
      createdAt: new Date(),
      secret: createSecretKey(randomBytes(32)),
    }
    await this.#change(({ keys, aliases }) => ({ keys: new Map(keys).set(key.id, key), aliases }))
    return key
  }

  /** @throws KmsError AlreadyExistsException when the alias is taken by any key. */
  async createAlias(alias: string, key: KmsKey): Promise<void> {
    await this.#change(({ keys, aliases }) => {
      if (aliases.has(alias))
        throw new KmsError("AlreadyExistsException", "An alias with that name already exists")
      return { keys, aliases: new Map(aliases).set(alias, key.id) }
    })
  }

  /** Finds a key by its id; null when there is none. */
  find(keyId: string): KmsKey | null {
    return this.#content.keys.get(keyId) ?? null
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
    if (key === null) throw new KmsError("NotFoundException", "The key or alias does not exist")
    return key
  }

  /** One change at a time: two requests for one alias must not both find it free, nor overwrite each other. */
  #change(apply: (content: KeyStoreContent) => KeyStoreContent): Promise<void> {
    const change = this.#lastChange.then(async () => {
      const next = apply(this.#content)
      await this.#save(next)
      this.#content = next
    })
    this.#lastChange = change.catch(() => undefined)
    return change
  }
}
