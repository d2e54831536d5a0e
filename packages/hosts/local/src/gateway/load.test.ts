import { describe, expect, it } from "vitest"
import { Load } from "./load.ts"

/** Begins requests to a function, one after another, and says which fit. */
const begin = (load: Load, name: string, sizes: readonly ("small" | "large")[]) =>
  sizes.map((size) => {
    const isLarge = size === "large"
    const hasRoom = load.hasRoom(name, isLarge)
    if (hasRoom) load.begin(name, isLarge)
    return hasRoom
  })

describe("requests in flight", () => {
  it("are limited to half for one endpoint, and to the whole for all", () => {
    const load = new Load({ maxRequestsInFlight: 4 })
    expect(begin(load, "run", ["small", "small", "small"])).toEqual([true, true, false])
    expect(begin(load, "encrypt", ["small", "small", "small"])).toEqual([true, true, false])
    expect(begin(load, "decrypt", ["small"])).toEqual([false])
    load.end("run", false)
    expect(begin(load, "decrypt", ["small"])).toEqual([true])
    expect(load.requests).toBe(4)
  })

  it("with large bodies take half of an endpoint's part, so that small ones still fit", () => {
    const load = new Load({ maxRequestsInFlight: 8 })
    expect(begin(load, "encrypt", ["large", "large", "large"])).toEqual([true, true, false])
    expect(begin(load, "encrypt", ["small", "small", "small"])).toEqual([true, true, false])
    load.end("encrypt", true)
    expect(begin(load, "encrypt", ["large"])).toEqual([true])
  })
})
