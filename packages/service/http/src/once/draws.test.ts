import { apiKeyKind, createApiKey } from "@sealway/accounts"
import { isId } from "@sealway/kernel"
import { createDerivedDraws, RANDOM_DRAWS } from "@sealway/ports"
import { describe, expect, test } from "vitest"

const SEED = Buffer.alloc(32, 1)

/** Draws some of everything, each twice. */
function drawAll(seed: Uint8Array): readonly string[] {
  const draws = createDerivedDraws(seed)
  return [0, 1].flatMap(() => [
    draws.newId("policy", 5),
    draws.newId("func", 5),
    draws.newId("func_run", 5),
    draws.randomBytes(32).toString("hex"),
    draws.randomBytes(8).toString("hex"),
    createApiKey("sandbox", draws.randomBytes),
  ])
}

describe("derived draws", () => {
  test("are the same for the same seed, and never the same twice", () => {
    expect(drawAll(SEED)).toEqual(drawAll(SEED))
    expect(new Set([...drawAll(SEED), ...drawAll(Buffer.alloc(32, 2))]).size).toBe(24)
  })

  test("have the format of random ones", () => {
    const draws = createDerivedDraws(SEED)
    const id = draws.newId("webhook_event", 1_700_000_000_000)
    expect(isId("webhook_event", id)).toBe(true)
    expect(id.length).toBe(RANDOM_DRAWS.newId("webhook_event", 1_700_000_000_000).length)
    expect(apiKeyKind(createApiKey("team", draws.randomBytes))).toBe("team")
  })

  // A request that started in one version must end the same in the next one.
  test("are those of the previous version", () => {
    expect(drawAll(SEED).slice(0, 4)).toMatchInlineSnapshot(`
      [
        "policy_0000000005wxz9ry2wyn5m282y",
        "func_000000000563qez9x1vcfnrkzv",
        "func_run_0000000005wj5y24rydf8j7kwm",
        "616afe6c6131985158204fc6419c5bfeb434284ccd63fe487527c56a6c22c6d5",
      ]
    `)
  })

  test("recognise their own ids, whatever time these carry, and no others", () => {
    const draws = createDerivedDraws(SEED)
    const ids = [draws.newId("policy", 1), draws.newId("policy", 2)]
    expect(ids.every((id) => createDerivedDraws(SEED).isOwnId(id))).toBe(true)
    const [id = ""] = ids
    for (const other of [RANDOM_DRAWS.newId("policy", 1), id.replace("policy", "role"), "", "_", "policy_"]) {
      expect(draws.isOwnId(other)).toBe(false)
    }
    expect(createDerivedDraws(Buffer.alloc(32, 2)).isOwnId(id)).toBe(false)
  })
})
