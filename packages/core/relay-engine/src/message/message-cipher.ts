import type { MaybePromise, Work } from "@sealway/kernel"
import type { OpenedValue, ParsedToken, ValueType } from "@sealway/tokens"

/**
 * Creates a token from a value; from a large one in steps, and in ASCII.
 *
 * @param text UTF-8, or a JSON literal
 * @param role slug of a data role; null for none
 */
export type Seal = (type: ValueType, text: Buffer, role: string | null) => string | Work<Buffer>

/** Seals and opens the values of one message with one app's keys. */
export interface ValueCipher {
  /**
   * Opens tokens, once it is decided that all of their roles may be decrypted.
   *
   * @param otherRoles further roles that need permission
   * @param mayBeMasked whether a mask will do in the place of the value of a token, by its index. Default: of none
   * @returns one value per token, in order
   * @throws RelayError `decrypt/forbidden`
   * @throws InvalidTokenError when one does not open
   */
  open(
    tokens: readonly ParsedToken[],
    otherRoles: readonly string[],
    mayBeMasked?: (index: number) => boolean,
  ): Promise<readonly OpenedValue[]>
  /**
   * Counts values that are about to be sealed, once, whatever they are sealed with.
   *
   * @throws RelayError `too-many-requests` when they are too many
   */
  count(values: number): void
  /**
   * @param values how many are sealed with it at most
   * @param roles all roles that are going to be used
   * @param dataSubject the sender's own id of the data subject that the values belong to. Default: none
   * @throws RelayError `internal-server-error` when one of the roles does not exist, or is archived; when nothing may be
   * sealed for the data subject, `bad-request` for a request and `proxy-error` for a response
   */
  sealer(values: number, roles: readonly string[], dataSubject?: string | null): MaybePromise<Seal>
}

/** The same for files too. */
export interface MessageCipher extends ValueCipher {
  sealFile(content: AsyncIterable<Buffer>): AsyncIterable<Buffer>
  /**
   * Releases nothing before everything is known to be authentic.
   *
   * @throws InvalidTokenError
   * @throws FileTooLargeError
   */
  openFile(content: AsyncIterable<Buffer>): AsyncIterable<Buffer>
}
