import { describe, expect, test } from "vitest"
import { andThen, type MaybePromise } from "./maybe-promise.ts"

const double = (value: number) => 2 * value
const fail = (): never => {
  throw new RangeError("next")
}

describe("continuing with a value or a promise", () => {
  test("runs immediately when the value is available", () => {
    expect(andThen(21, double)).toBe(42)
    expect(() => andThen(21, fail)).toThrow(RangeError)
  })

  test("waits when it is not", async () => {
    const pending = andThen(Promise.resolve(21), double)
    expect(pending).toBeInstanceOf(Promise)
    expect(await pending).toBe(42)
    await expect(andThen(Promise.resolve(21), fail)).rejects.toThrow(RangeError)
  })

  test("returns no promise of a promise", async () => {
    const later = (value: number): MaybePromise<number> => Promise.resolve(double(value))
    expect(await andThen(21, later)).toBe(42)
    expect(await andThen(Promise.resolve(21), later)).toBe(42)
  })

  test("does not run when the promise rejects", async () => {
    const never = () => expect.unreachable()
    await expect(andThen(Promise.reject(new TypeError("value")), never)).rejects.toThrow(TypeError)
  })
})
