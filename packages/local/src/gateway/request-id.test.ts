import { expect, it } from "vitest"
import { createRequestIds } from "./request-id.ts"

it("makes ids of API Gateway's shape that do not repeat, across draws of randomness too", () => {
  const nextId = createRequestIds()
  const ids = Array.from({ length: 2000 }, nextId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.every((id) => /^[A-Za-z0-9_-]{15}=$/.test(id))).toBe(true)
})
