import type { MaybePromise } from "./maybe-promise.ts"

/**
 * Work in steps, so that a long piece of it does not keep others waiting. It yields where it may be interrupted: after
 * some 0.2 ms at most, and never after each value, which would cost more than the value. It yields nothing when it can go
 * on at once, or a promise that it needs the result of, see `waitFor`.
 */
export type Work<Result> = Generator<Promise<unknown> | undefined, Result, void>

/**
 * Does all of a work at once. For small inputs, and for callers that nobody waits for.
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

/** A step that waits. What a promise is rejected with is thrown where the work goes on. */
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
