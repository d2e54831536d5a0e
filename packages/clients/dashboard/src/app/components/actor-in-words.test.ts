import { expect, test } from "vitest"
import { actorInWords } from "./actor-in-words.ts"

test("who has done something is named by their kind and id, also when the kind is new", () => {
  expect(actorInWords({ type: "api-key", id: "key_1" })).toBe("API key key_1")
  expect(actorInWords({ type: "robot", id: "r_1" })).toBe("robot r_1")
})
