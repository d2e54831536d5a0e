import type { MaybePromise } from "./maybe-promise.ts"

/**
 * Work in steps, so that a long piece of it does not block others. It yields where it may be interrupted: after at most
 * about 0.2 ms, and never after each value, which would cost more than the value. It yields nothing when it can
 * continue immediately, or a promise whose result it needs, see `waitFor`.
 */
export type Work<Result> = Generator<Promise<unknown> | undefined, Result, void>

/**
 * Runs all steps at once. For small inputs, and for callers that block no one.
 *
 * @throws TypeError when it needs to wait for something
 */
export function finish<Result>(work: Work<Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
    if (value !== undefined) throw new TypeError("The work waits for something, and cannot be done at once")
  }
}

/** A step that waits. If the promise rejects, the error is thrown where the work continues. */
export function* waitFor<Value>(value: MaybePromise<Value>): Work<Value> {
  if (!(value instanceof Promise)) return value
  let result: { readonly value: Value } | null = null
  yield value.then((settled) => {
    result = { value: settled }
  })
  return resultOf(result)
}

function resultOf<Value>(result: { readonly value: Value } | null): Value {
  if (result === null) throw new TypeError("The work went on before what it waits for was there")
  return result.value
}
