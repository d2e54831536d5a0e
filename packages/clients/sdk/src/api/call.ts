import type { AnswerHeaders } from "../requests/transport.ts"

/** An answer, and what came with it. */
export interface Answered<Answer> {
  readonly data: Answer
  /** The HTTP status. */
  readonly status: number
  readonly headers: AnswerHeaders
  /** Names the request in the service's logs, for support. Null: the service has given none. */
  readonly requestId: string | null
}

/**
 * A call under way: a promise of the answer. `withResponse` tells more.
 *
 * ```ts
 * const { data, requestId } = await sealway.api.getDataRole({ roleId }).withResponse()
 * ```
 */
export class Call<Answer> implements Promise<Answer> {
  readonly [Symbol.toStringTag] = "Call"
  readonly #answered: Promise<Answered<Answer>>

  constructor(answered: Promise<Answered<Answer>>) {
    this.#answered = answered
  }

  /** Returns the answer with its status, its headers and the request's id. */
  withResponse(): Promise<Answered<Answer>> {
    return this.#answered
  }

  // A second promise would be rejected without a handler where only `withResponse` is awaited.
  // biome-ignore lint/suspicious/noThenProperty: a call is a promise
  then<Result = Answer, Failure = never>(
    onFulfilled?: ((answer: Answer) => Result | PromiseLike<Result>) | null,
    onRejected?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.#answered.then(({ data }) => data).then(onFulfilled, onRejected)
  }

  catch<Failure = never>(
    onRejected?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Answer | Failure> {
    return this.then(null, onRejected)
  }

  finally(onFinally?: (() => void) | null): Promise<Answer> {
    return this.then().finally(onFinally)
  }
}
