/**
 * What is known already, or a promise of it. For look-ups that nearly always end in a cache: promises of values that
 * are there cost several times what looking them up does. `await` takes both.
 */
export type MaybePromise<Value> = Value | Promise<Value>

/** Goes on with a value, at once where it is there. What `next` throws then is thrown, and rejected with otherwise. */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}
