import { type ClientSealing, type ClientSealingKey, isRoleSlug, isWholeFile } from "@sealway/tokens/portable"
import { decodeBase64 } from "../base64.ts"
import { viewOfBytes } from "./bytes.ts"
import { copyDocument } from "./copy-document.ts"
import type { Encrypted } from "./encrypted.ts"
import { sealStream, tooLarge } from "./seal-stream.ts"
import { type SubjectKey, subjectIdBytes } from "./subject-key.ts"

/** What encrypts on a runtime: `sealing` of `#sealing`. */
export type SealingPlatform = ClientSealing

/** What the service says about an app to clients that encrypt. */
export interface AppKey {
  /** The app's P-256 key, uncompressed, 65 bytes, in base64. */
  readonly ecdhP256KeyUncompressed: string
  /** Whether tokens are marked as a sandbox app's. */
  readonly isSandbox: boolean
}

export interface SealerOptions {
  readonly platform: SealingPlatform
  /** Called for each `encrypt` that has something to encrypt. */
  readonly appKey: () => AppKey | Promise<AppKey>
  /** The largest file that is encrypted. Default: 25 MB, the largest that the service opens. */
  readonly maxFileBytes?: number
  /** A monotonic clock, in milliseconds. Default: that of the runtime. */
  readonly now?: () => number
  /** Milliseconds since the epoch. Default: the clock of the runtime. */
  readonly wallClock?: () => number
}

/** Encrypts for one app, without a call but for the app's public key. */
export interface Sealer {
  /**
   * Encrypts data of any shape.
   *
   * - JSON: each string, number and boolean becomes a token. `null`, `{}`, `[]` and tokens stay as they are.
   * - `Uint8Array`, `ArrayBuffer`, `Blob`, `File`: becomes an encrypted file, unless it is one.
   * - `ReadableStream` of `Uint8Array`: becomes an encrypted file as it is read. It is always encrypted.
   *
   * The data is copied before anything else happens: later changes have no effect.
   *
   * @param role the data role of each value. Files have none
   * @param subjectKey called for the public key of the data subject that the values belong to, if there is something to
   * encrypt. Default: they belong to none. Files never do
   * @throws TypeError when the data cannot be encrypted, with the place as its `pointer`, or the role is not a slug
   * @throws RangeError when it is too large, with a `pointer` too
   */
  encrypt<Data>(data: Data, role?: string, subjectKey?: SubjectKeyOf): Promise<Encrypted<Data>>
}

type SubjectKeyOf = () => SubjectKey | Promise<SubjectKey>

const MAX_FILE_BYTES = 25 * 1_048_576

export function createSealer(options: SealerOptions): Sealer {
  const sealer = new AppSealer(options)
  return {
    encrypt: async <Data>(data: Data, role?: string, subjectKey?: SubjectKeyOf) =>
      (await sealer.encrypt(data, role, subjectKey)) as Encrypted<Data>,
  }
}

type Keys = ReturnType<ClientSealing["keysFor"]>

class AppSealer {
  readonly #platform: ClientSealing
  readonly #appKey: SealerOptions["appKey"]
  readonly #maxFileBytes: number
  readonly #now: () => number
  readonly #wallClock: () => number
  /** The keys of the app key that was used last. */
  #last: (AppKey & { readonly keys: Keys }) | null = null
  /** The keys of the data subjects in use. */
  readonly #ofSubjects = new WeakMap<SubjectKey, Keys>()

  constructor({ platform, appKey, maxFileBytes, now, wallClock }: SealerOptions) {
    this.#platform = platform
    this.#appKey = appKey
    this.#maxFileBytes = maxFileBytes ?? MAX_FILE_BYTES
    this.#now = now ?? performance.now.bind(performance)
    this.#wallClock = wallClock ?? Date.now
  }

  encrypt(data: unknown, role: string | undefined, subjectKey: SubjectKeyOf | undefined): Promise<unknown> {
    if (role !== undefined && (typeof role !== "string" || !isRoleSlug(role))) {
      throw new TypeError("The role is not a data role slug: 1 to 20 of a-z, 0-9 and -.")
    }
    if (typeof data !== "object") return this.#encryptDocument(data, role, subjectKey)
    const bytes = viewOfBytes(data)
    const isFile = data instanceof ReadableStream || data instanceof Blob || bytes !== null
    if (!isFile) return this.#encryptDocument(data, role, subjectKey)
    if (subjectKey !== undefined) throw new TypeError("A file cannot belong to a data subject.")
    if (data instanceof ReadableStream) return this.#encryptStream(data, role)
    if (data instanceof Blob) return this.#encryptBlob(data, role)
    return this.#encryptBytes(bytes ?? new Uint8Array(0), role)
  }

  async #encryptDocument(
    data: unknown,
    role: string | undefined,
    subjectKey: SubjectKeyOf | undefined,
  ): Promise<unknown> {
    const document = copyDocument(data)
    const { values } = document
    if (values.length === 0) return document.fill([])
    const encryptedAt = Math.floor(this.#wallClock() / 1000)
    if (subjectKey !== undefined) {
      const key = await (await this.#keysOfSubject(await subjectKey())).current(values.length)
      return document.fill(await key.sealAll(values, { role: role ?? null, encryptedAt }))
    }
    const key = await this.#keyFor(values.length)
    return document.fill(await key.sealAll(values, role === undefined ? undefined : { role, encryptedAt }))
  }

  /** @param subject not changed by anybody: a copy, or an answer */
  #keysOfSubject(subject: SubjectKey): Keys {
    const known = this.#ofSubjects.get(subject)
    if (known !== undefined) return known
    const keys = this.#platform.keysFor({
      appPublicKey: decodeBase64(subject.publicKey) ?? new Uint8Array(0),
      subjectId: subjectIdBytes(subject.id) ?? new Uint8Array(0),
      debug: subject.isSandbox,
      now: this.#now,
    })
    this.#ofSubjects.set(subject, keys)
    return keys
  }

  async #encryptBytes(data: Uint8Array, role: string | undefined): Promise<Uint8Array<ArrayBuffer>> {
    this.#checkFile(data.byteLength, role)
    // A copy: the caller may change its bytes meanwhile, and WebCrypto takes none that are shared with other threads.
    const bytes = Uint8Array.from(data)
    if (isWholeFile(bytes)) return bytes
    return (await this.#keyFor(1)).sealFile(bytes)
  }

  async #encryptBlob(blob: Blob, role: string | undefined): Promise<Blob> {
    this.#checkFile(blob.size, role)
    const bytes = new Uint8Array(await blob.arrayBuffer())
    if (isWholeFile(bytes)) return blob
    const sealed = await (await this.#keyFor(1)).sealFile(bytes)
    const type = "application/octet-stream"
    return blob instanceof File
      ? new File([sealed], blob.name, { type, lastModified: blob.lastModified })
      : new Blob([sealed], { type })
  }

  async #encryptStream(stream: ReadableStream, role: string | undefined): Promise<ReadableStream> {
    this.#checkFile(0, role)
    if (stream.locked) throw new TypeError("The stream is being read by someone else.")
    const file = await (await this.#keyFor(1)).startFile()
    return sealStream(stream, file, this.#maxFileBytes)
  }

  #checkFile(bytes: number, role: string | undefined): void {
    if (role !== undefined) throw new TypeError("A file cannot carry a data role.")
    if (bytes > this.#maxFileBytes) throw tooLarge(this.#maxFileBytes)
  }

  async #keyFor(values: number): Promise<ClientSealingKey> {
    const app = await this.#appKey()
    try {
      return await (await this.#keysOf(app)).current(values)
    } catch (error) {
      // A key pair that could not be created is not kept until it would be renewed.
      this.#last = null
      throw error
    }
  }

  #keysOf({ ecdhP256KeyUncompressed, isSandbox }: AppKey): Keys {
    const last = this.#last
    if (last?.ecdhP256KeyUncompressed === ecdhP256KeyUncompressed && last.isSandbox === isSandbox)
      return last.keys
    // No key is so short as what is not base64.
    const appPublicKey = decodeBase64(ecdhP256KeyUncompressed) ?? new Uint8Array(0)
    const keys = this.#platform.keysFor({ appPublicKey, debug: isSandbox, now: this.#now })
    this.#last = { ecdhP256KeyUncompressed, isSandbox, keys }
    return keys
  }
}
