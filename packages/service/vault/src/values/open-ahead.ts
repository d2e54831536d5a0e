import { processTurns, type Turns } from "@sealway/kernel"
import {
  contentKeyId,
  InvalidTokenError,
  isAgreed,
  isOfSubject,
  LARGE_VALUE_BYTES,
  type ParsedToken,
  subjectIdOf,
} from "@sealway/tokens"
import { MAX_HSM_AGREEMENTS } from "./hsm-agreements.ts"
import { MAX_SUBJECTS } from "./subject-openings.ts"
import type { TokenOpener } from "./token-opener.ts"

/** How many tokens are opened at a time. */
const MAX_AT_ONCE = 32

/** Collects one small token of each ephemeral key and of each data subject, as many as one request may open. */
export class TokensAhead {
  readonly #agreed = new Map<string, ParsedToken>()
  readonly #ofSubjects = new Map<string, ParsedToken>()

  /** @returns whether there is room for more */
  add(token: ParsedToken): boolean {
    if (token.ciphertext.length < LARGE_VALUE_BYTES) {
      if (isAgreed(token)) this.#agreed.set(contentKeyId(token), token)
      if (isOfSubject(token)) this.#ofSubjects.set(subjectIdOf(token), token)
    }
    return this.#agreed.size <= MAX_HSM_AGREEMENTS && this.#ofSubjects.size <= MAX_SUBJECTS
  }

  /**
   * Opens them at the same time, so that the opener knows their keys: each is a call of AWS, and one after the other they
   * would take too long. A token that does not open is left to whoever opens it in its turn.
   *
   * @param turns taken after each token: one whose key is in memory may still take a key agreement. Default: the process's
   * @throws any error but that of an invalid token
   */
  async open(
    opener: Pick<TokenOpener, "openToken">,
    turns: Pick<Turns, "next"> = processTurns,
  ): Promise<void> {
    const rest = [...this.#agreed.values(), ...this.#ofSubjects.values()].reverse()
    const work = async () => {
      for (let token = rest.pop(); token !== undefined; token = rest.pop()) {
        try {
          await opener.openToken(token)
        } catch (error) {
          if (!(error instanceof InvalidTokenError)) {
            rest.length = 0
            throw error
          }
        }
        await turns.next()
      }
    }
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, work))
  }
}
