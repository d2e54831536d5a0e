import type { MaybePromise, Work } from "@sealway/kernel"
import type { OpenedValue, ParsedToken, ValueType } from "@sealway/tokens"

/**
 * Makes a token of a value; of a large one in steps, and in ASCII.
 *
 * @param text UTF-8, or a JSON literal
 * @param role slug of a data role; null for none
 */
export type Seal = (type: ValueType, text: Buffer, role: string | null) => string | Work<Buffer>

/** Seals and opens the values of one message, with one app's keys. */
export interface ValueCipher {
  /**
   * Opens tokens, once it is decided that all of their roles may be decrypted.
   *
   * @param otherRoles roles that need permission too
   * @returns one value for each token, in their order
   * @throws RelayError `decrypt/forbidden`
   * @throws InvalidTokenError when one does not open
   */
  open(tokens: readonly ParsedToken[], otherRoles: readonly string[]): Promise<readonly OpenedValue[]>
  /**
   * @param values how many are going to be sealed
   * @param roles all that are going to be sealed with
   * @throws RelayError `internal-server-error` when one of the roles does not exist, or is archived
   */
  sealer(values: number, roles: readonly string[]): MaybePromise<Seal>
}

/** The same for files too. */
export interface MessageCipher extends ValueCipher {
  sealFile(content: AsyncIterable<Buffer>): AsyncIterable<Buffer>
  /** Releases nothing before all is known to be authentic. @throws InvalidTokenError @throws FileTooLargeError */
  openFile(content: AsyncIterable<Buffer>): AsyncIterable<Buffer>
}
