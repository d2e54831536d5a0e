import { randomBytes } from "node:crypto"
import { InvalidTokenError } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { createSharedSecrets } from "./shared-secrets.ts"

/** Creates secrets that are asked for elsewhere, each different. */
function createWorld(answer: () => Promise<Buffer | null> = async () => randomBytes(32)) {
  const clock = { ms: 1 }
  const asked: string[] = []
  const secrets = createSharedSecrets({
    agree(ephemeral) {
      asked.push(Buffer.from(ephemeral).toString("hex"))
      return answer()
    },
    now: () => clock.ms,
  })
  return { asked, clock, secrets }
}

const ephemeralKey = (number: number) => {
  const bytes = Buffer.alloc(33, 2)
  bytes.writeUInt32BE(number, 1)
  return bytes
}

describe("the shared secrets of a key version", () => {
  test("are asked for once for an ephemeral key, also by requests at the same time", async () => {
    const { asked, secrets } = createWorld()
    const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => secrets(ephemeralKey(1))))
    expect(new Set(others)).toEqual(new Set([first]))
    expect(secrets(ephemeralKey(1))).toBe(first)
    expect(asked).toHaveLength(1)
    expect(await secrets(ephemeralKey(2))).not.toEqual(first)
    expect(asked).toHaveLength(2)
  })

  test("do not depend on bytes that change after the call", async () => {
    const { asked, secrets } = createWorld()
    const bytes = ephemeralKey(1)
    const secret = secrets(bytes)
    bytes.fill(0)
    expect(secrets(ephemeralKey(1))).not.toBeInstanceOf(Buffer)
    expect(await secret).toBe(secrets(ephemeralKey(1)))
    expect(asked).toEqual([ephemeralKey(1).toString("hex")])
  })

  test("are kept for two minutes", async () => {
    const { asked, clock, secrets } = createWorld()
    await secrets(ephemeralKey(1))
    clock.ms += 120_000
    await secrets(ephemeralKey(1))
    expect(asked).toHaveLength(1)
    clock.ms += 1
    await secrets(ephemeralKey(1))
    expect(asked).toHaveLength(2)
  })

  test("are 2,000 at most: the one that was not used for longest is asked for again", async () => {
    const { asked, secrets } = createWorld()
    for (let number = 0; number < 2_000; number++) await secrets(ephemeralKey(number))
    await secrets(ephemeralKey(0))
    await secrets(ephemeralKey(2_000))
    expect(asked).toHaveLength(2_001)
    await secrets(ephemeralKey(0))
    expect(asked).toHaveLength(2_001)
    await secrets(ephemeralKey(1))
    expect(asked).toHaveLength(2_002)
  })

  test("do not exist for what is no point of the curve, which is asked for once", async () => {
    const { asked, secrets } = createWorld(async () => null)
    for (let times = 0; times < 3; times++) {
      await expect(async () => secrets(ephemeralKey(1))).rejects.toThrow(InvalidTokenError)
    }
    expect(asked).toHaveLength(1)
  })

  test("are asked for again after a failure", async () => {
    let fails = true
    const { asked, secrets } = createWorld(async () => {
      if (fails) throw new RangeError("throttled")
      return Buffer.alloc(32)
    })
    await expect(async () => secrets(ephemeralKey(1))).rejects.toThrow(RangeError)
    fails = false
    expect(await secrets(ephemeralKey(1))).toEqual(Buffer.alloc(32))
    expect(asked).toHaveLength(2)
  })
})
