import { describe, expect, test } from "vitest"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService("api-gateway")
const octets = { contentType: "application/octet-stream" }

describe("behind API Gateway", () => {
  test("a file of 4.5 MB is encrypted and decrypted", async () => {
    const file = Buffer.alloc(4_500_000, 7)
    const encrypted = await service.post("/encrypt", file, octets)
    expect(encrypted.status).toBe(200)
    expect((await service.post("/decrypt", encrypted.bytes, octets)).bytes.equals(file)).toBe(true)
  })

  test.each([4_500_076, 6_000_000, 11_000_000])(
    "a file of %d bytes is refused, and both limits are told",
    async (bytes) => {
      const answer = await service.post("/encrypt", Buffer.alloc(bytes), octets)
      expectProblem(answer, "payload-too-large")
      expect(answer.json).toMatchObject({
        detail: expect.stringMatching(/4\.5 MB .*behind API Gateway.*25 MB/),
      })
    },
  )

  test("a document whose tokens are more than Lambda can return is refused, and told so", async () => {
    const answer = await service.post("/encrypt", Array(60_000).fill("value"))
    expectProblem(answer, "payload-too-large")
    expect(answer.json).toMatchObject({ detail: expect.stringMatching(/answer.*6 MB/) })
  })

  test("an answer that only its escapes make too large is refused, and told so", async () => {
    // Not `application/json`, which would be too large on its way in already, by the same escapes.
    const contentType = "application/vnd.test+json"
    const answer = await service.post("/decrypt", `[${'"",'.repeat(1_400_000)}0]`, { contentType })
    expectProblem(answer, "payload-too-large")
    expect(answer.json).toMatchObject({ detail: expect.stringMatching(/answer.*6 MB/) })
  })

  test("a document of 5 MB that comes back as it is, is taken", async () => {
    const answer = await service.post("/decrypt", `[${"[],".repeat(1_700_000)}[]]`)
    expect(answer.status).toBe(200)
  })
})
