/**
 * A value, or a promise of it. For look-ups that nearly always hit a cache: promises of available values cost several
 * times as much as the look-up itself. `await` accepts both.
 */
export type MaybePromise<Value> = Value | Promise<Value>

/**
 * Continues with a value, immediately if it is available. An error of `next` is then thrown, and otherwise rejected
 * with.
 */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}
