import type { App } from "@sealway/accounts"
import {
  andThen,
  ConflictError,
  type MaybePromise,
  Pace,
  type Turns,
  type Work,
  waitFor,
} from "@sealway/kernel"
import { type Keyring, sealingKeysOf } from "@sealway/keys"
import type { DataRoles, DecisionContext } from "@sealway/policies"
import type { AuditAuthor, AuditLog } from "@sealway/records"
import { type MessageCipher, malformed, RelayError, type Seal } from "@sealway/relay-engine"
import {
  FILE_OVERHEAD_BYTES,
  FileTooLargeError,
  LARGE_VALUE_BYTES,
  type OpenedValue,
  openFileStream,
  type ParsedToken,
  sealFileStream,
  type ValueSealingKey,
} from "@sealway/tokens"
import {
  auditRefusal,
  createTokenOpener,
  type DecryptedValues,
  DecryptionForbiddenError,
  type HoneyValue,
  honeyRefusal,
  maskedValue,
  needsAgreement,
  ONE_FILE,
  RoleTally,
  requireValue,
  type TokenOpener,
  TokensAhead,
} from "@sealway/vault"
import { createFileKeys } from "./file-keys.ts"

export interface CipherDependencies {
  readonly keyring: Keyring
  readonly dataRoles: Pick<DataRoles, "decide" | "markUsed">
  readonly audit: AuditLog
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** The app of the message, and what is known about its sender. */
export interface CipherContext {
  readonly app: App
  readonly relayId: string
  readonly direction: "request" | "response"
  /** What policies decide by. */
  readonly decision: DecisionContext
  /** The author in the audit log when a decryption is refused. */
  readonly author: AuditAuthor
  /** The maximum size of a file before it is encrypted. While decrypting, as much is held in memory. */
  readonly maxFileBytes: number
  /** Of the exchange. */
  readonly turns: Turns
  /**
   * Called with the number of values that are about to be opened or sealed. Default: nothing.
   *
   * @throws RelayError when that is too many
   */
  readonly onCounted?: (values: number) => void
  /**
   * Called with what was opened, before it is returned. Default: nothing.
   *
   * @throws RelayError when it must be recorded and cannot be: nothing is returned then
   */
  readonly onOpened?: (values: DecryptedValues) => Promise<void> | undefined
}

/**
 * Creates the cipher of one message, with the app's keys and as far as its policies permit. Once warm, it makes no AWS
 * call.
 */
export function createMessageCipher(dependencies: CipherDependencies, context: CipherContext): MessageCipher {
  return new AppMessageCipher(dependencies, context)
}

class AppMessageCipher implements MessageCipher {
  readonly #dependencies: CipherDependencies
  readonly #context: CipherContext

  constructor(dependencies: CipherDependencies, context: CipherContext) {
    this.#dependencies = dependencies
    this.#context = context
  }

  async open(
    tokens: readonly ParsedToken[],
    otherRoles: readonly string[],
    mayBeMasked: (index: number) => boolean = () => false,
  ): Promise<readonly OpenedValue[]> {
    const { keyring, dataRoles } = this.#dependencies
    const { app, decision, onCounted, onOpened, turns } = this.#context
    onCounted?.(tokens.length)
    const all = await turns.run(openAll(tokens, createTokenOpener(keyring, app, turns), turns))
    const tally = new RoleTally<null>()
    const fullRoles = new Set<string | null>()
    for (const [index, opened] of all.entries()) {
      tally.add(opened, null)
      if (!mayBeMasked(index)) fullRoles.add(opened.role)
    }
    const judgement = await tally.judge((roles) => dataRoles.decide(app, roles, decision), {
      otherRoles,
      fullRoles,
      reveal: "any",
    })
    if (judgement.refused !== null) throw await this.#refuse(judgement.refused.error(""))
    if (all.length > 0) await onOpened?.(judgement.values)
    const { masks } = judgement
    return all.map((each) => {
      const opened = requireValue(each)
      const mask = masks.get(opened.role)
      return mask === undefined ? opened : maskedValue(opened, mask)
    })
  }

  count(values: number): void {
    this.#context.onCounted?.(values)
  }

  sealer(values: number, roles: readonly string[], dataSubject: string | null = null): MaybePromise<Seal> {
    const sealer = () => andThen(this.#sealingKey(values, dataSubject), (key) => this.#sealer(key))
    return roles.length === 0 ? sealer() : this.#markUsed(roles).then(sealer)
  }

  async *sealFile(content: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    this.#context.onCounted?.(1)
    const sealingKeys = await sealingKeysOf(this.#dependencies.keyring, this.#context.app)
    yield* sealFileStream(upTo(content, this.#context.maxFileBytes), sealingKeys.current(1))
  }

  async *openFile(content: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    const { app, maxFileBytes, onCounted, onOpened } = this.#context
    onCounted?.(1)
    const honeyMarks: string[] = []
    const keys = createFileKeys(this.#dependencies.keyring, app, (mark) => honeyMarks.push(mark))
    let isNoted = false
    const note = async () => {
      if (honeyMarks.length > 0) {
        throw await this.#refuse(new DecryptionForbiddenError("", honeyRefusal(null), honeyMarks))
      }
      if (!isNoted) await onOpened?.(ONE_FILE)
      isNoted = true
    }
    for await (const piece of openFileStream(content, keys, {
      maxBytes: maxFileBytes + FILE_OVERHEAD_BYTES,
    })) {
      await note()
      yield piece
    }
    // For an empty file.
    await note()
  }

  #sealingKey(values: number, dataSubject: string | null): MaybePromise<ValueSealingKey> {
    const { keyring } = this.#dependencies
    const { app } = this.#context
    return dataSubject === null
      ? andThen(sealingKeysOf(keyring, app), (sealingKeys) => sealingKeys.current(values))
      : this.#subjectSealingKey(dataSubject)
  }

  async #subjectSealingKey(dataSubject: string): Promise<ValueSealingKey> {
    const { app, direction } = this.#context
    try {
      return (await this.#dependencies.keyring.subjects.forSealing(app, dataSubject)).createSealingKey()
    } catch (error) {
      if (error instanceof ConflictError) throw malformed(direction, error.message, error)
      throw error
    }
  }

  #sealer(key: ValueSealingKey): Seal {
    const encryptedAt = Math.floor(this.#dependencies.wallClock() / 1000)
    return (type, text, role) => {
      const metadata = { role, encryptedAt }
      return text.length < LARGE_VALUE_BYTES
        ? key.seal(type, text, metadata)
        : key.sealInSteps(type, text, metadata)
    }
  }

  async #markUsed(roles: readonly string[]): Promise<void> {
    const { app, direction: stage } = this.#context
    for (const role of roles) {
      if (await this.#dependencies.dataRoles.markUsed(app, role)) continue
      throw new RelayError(
        "internal-server-error",
        "A selection's data role does not exist, or is archived.",
        { stage },
      )
    }
  }

  /** Records a refusal. @returns the error to answer with */
  async #refuse(refusal: DecryptionForbiddenError): Promise<RelayError> {
    const { app, relayId, direction, author } = this.#context
    await auditRefusal(this.#dependencies.audit, app, author, refusal, { relay: relayId, direction })
    return new RelayError("decrypt/forbidden", refusal.message, { stage: direction, cause: refusal })
  }
}

/** Nothing may be sealed that is too large to be opened. @throws FileTooLargeError */
async function* upTo(content: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void, void> {
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new FileTooLargeError()
    yield chunk
  }
}

const TOKENS_PER_STEP = 32

function* openAll(
  tokens: readonly ParsedToken[],
  opener: TokenOpener,
  turns: Turns,
): Work<readonly (OpenedValue | HoneyValue)[]> {
  const all: (OpenedValue | HoneyValue)[] = []
  const pace = new Pace(TOKENS_PER_STEP)
  let isAhead = false
  for (const [index, token] of tokens.entries()) {
    if (!isAhead && opener.asksAws()) {
      isAhead = true
      const ahead = new TokensAhead()
      for (const each of tokens.slice(index)) if (!ahead.add(each)) break
      yield* waitFor(ahead.open(opener, turns))
    }
    if (pace.isDue(token.ciphertext.length) || needsAgreement(token, tokens[index - 1] ?? null)) yield
    const opened = opener.openToken(token)
    all.push(opened instanceof Promise ? yield* waitFor(opened) : opened)
  }
  return all
}
