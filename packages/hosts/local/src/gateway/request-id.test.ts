import { expect, it } from "vitest"
import { createRequestIds } from "./request-id.ts"

it("generates unique ids in API Gateway's format, across draws of randomness too", () => {
  const nextId = createRequestIds()
  const ids = Array.from({ length: 2000 }, nextId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.every((id) => /^[A-Za-z0-9_-]{15}=$/.test(id))).toBe(true)
})
