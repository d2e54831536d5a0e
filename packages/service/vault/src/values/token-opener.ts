import type { App } from "@sealway/accounts"
import { andThen, createBoundedMap, type MaybePromise, processTurns, type Turns } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import {
  contentKeyId,
  deriveStreamKey,
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
  takesAgreement,
} from "@sealway/tokens"
import { type AgreedOpenings, createAgreedOpenings } from "./agreed-openings.ts"
import { type HoneyValue, honeyValueOf, isHoney } from "./honey-value.ts"
import type { Open, OpeningKey } from "./opening-key.ts"
import { createSubjectOpenings, type SubjectOpenings } from "./subject-openings.ts"
import { createSymmetricOpenings, type SymmetricOpenings } from "./symmetric-openings.ts"

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
 * Creates an opener: what opens a value depends on how it was sealed, see `SymmetricOpenings`, `AgreedOpenings` and
 * `SubjectOpenings`.
 *
 * @param turns the turns of long-running work. Default: the process's
 */
export function createTokenOpener(
  keyring: Keyring,
  app: App,
  turns: Turns = processTurns,
): TokenOpener & OpeningKeys & StreamOpener {
  const keys = createBoundedMap<OpeningKey>(MAX_KEYS)
  /** Most requests have values of one kind. */
  let symmetric: SymmetricOpenings | null = null
  let agreed: AgreedOpenings | null = null
  let ofSubjects: SubjectOpenings | null = null

  function openWith<Opened>(sealed: SealedContent, open: Open<Opened>): MaybePromise<Opened> {
    const id = contentKeyId(sealed)
    if (isOfSubject(sealed)) {
      ofSubjects ??= createSubjectOpenings(keyring, app)
      return ofSubjects.open(id, sealed, open)
    }
    if (isSymmetric(sealed)) {
      symmetric ??= createSymmetricOpenings(keyring, app, keys)
      return symmetric.open(id, sealed, open)
    }
    agreed ??= createAgreedOpenings(keyring, app, keys)
    return agreed.open(id, sealed, open)
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
    asksAws: () => (ofSubjects?.count() ?? 0) > 0 || agreed?.asksKms() === true,
  }
}
