import { describe, expect, it } from "vitest"
import { Load, SMALL_BYTES } from "./load.ts"

const holder = () => ({ heldBytes: 0 })

describe("requests in flight", () => {
  it("are limited to half for one endpoint, and to the whole for all", () => {
    const load = new Load({ maxRequestsInFlight: 4, maxBytesInFlight: 1000 })
    const admit = (name: string) => {
      const hasRoom = load.hasRoom(name, 0)
      if (hasRoom) load.begin(name)
      return hasRoom
    }
    expect(["run", "run", "run"].map(admit)).toEqual([true, true, false])
    expect(["encrypt", "encrypt", "encrypt", "decrypt"].map(admit)).toEqual([true, true, false, false])
    load.end("run")
    expect(admit("decrypt")).toBe(true)
    expect(load.requests).toBe(4)
  })
})

describe("bytes in flight", () => {
  const MAX = 16 * SMALL_BYTES

  it("are released by those who hold them, once", () => {
    const load = new Load({ maxRequestsInFlight: 4, maxBytesInFlight: MAX })
    const [first, second] = [holder(), holder()]
    expect([load.take(first, 100), load.take(first, 50), load.take(second, 7)]).toEqual([true, true, true])
    expect(load.bytes).toBe(157)
    load.release(first)
    load.release(first)
    expect(load.bytes).toBe(7)
    load.release(second)
    expect(load.bytes).toBe(0)
  })

  it("of large holders take three quarters, so that small ones still fit", () => {
    const load = new Load({ maxRequestsInFlight: 4, maxBytesInFlight: MAX })
    expect(load.take(holder(), 12 * SMALL_BYTES + 1)).toBe(false)
    expect(load.take(holder(), 12 * SMALL_BYTES)).toBe(true)
    expect(load.hasRoom("encrypt", SMALL_BYTES + 1)).toBe(false)
    expect(load.hasRoom("encrypt", SMALL_BYTES)).toBe(true)
    for (let count = 0; count < 4; count += 1) expect(load.take(holder(), SMALL_BYTES)).toBe(true)
    expect(load.take(holder(), 1)).toBe(false)
    expect(load.bytes).toBe(MAX)
  })

  it("of a holder that becomes large no longer use the room for small ones", () => {
    const load = new Load({ maxRequestsInFlight: 4, maxBytesInFlight: MAX })
    load.take(holder(), 12 * SMALL_BYTES)
    const growing = holder()
    expect(load.take(growing, SMALL_BYTES)).toBe(true)
    expect(load.take(growing, 1)).toBe(false)
    expect(growing.heldBytes).toBe(SMALL_BYTES)
  })

  it("of a small answer always fit, and of a large one when there is room", () => {
    const load = new Load({ maxRequestsInFlight: 4, maxBytesInFlight: MAX })
    load.take(holder(), 12 * SMALL_BYTES)
    for (let count = 0; count < 4; count += 1) load.take(holder(), SMALL_BYTES)
    expect(load.takeAnswer(holder(), SMALL_BYTES)).toBe(true)
    expect(load.takeAnswer(holder(), SMALL_BYTES + 1)).toBe(false)
  })
})
