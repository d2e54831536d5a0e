import { KB, MB } from "@sealway/kernel"
import { longestTokenOf } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService("api-gateway")
const octets = { contentType: "application/octet-stream" }

describe("behind API Gateway", () => {
  test("encrypts and decrypts a file of 4,500,000 bytes", async () => {
    const file = Buffer.alloc(4_500_000, 7)
    const encrypted = await service.post("/encrypt", file, octets)
    expect(encrypted.status).toBe(200)
    expect((await service.post("/decrypt", encrypted.bytes, octets)).bytes.equals(file)).toBe(true)
  })

  test.each([4_500_001, 4_500_075, 4_500_076, 6_000_000, 11_000_000])(
    "refuses a file of %d bytes and names both limits",
    async (bytes) => {
      const answer = await service.post("/encrypt", Buffer.alloc(bytes), octets)
      expectProblem(answer, "payload-too-large")
      expect(answer.json).toMatchObject({
        detail: expect.stringMatching(/(?=.*4\.5 m)(?=.*25 MB)(?=.*behind API Gateway)/i),
      })
    },
  )

  test("refuses a document whose tokens exceed what Lambda can return, and says so", async () => {
    const answer = await service.post("/encrypt", Array(60_000).fill("value"))
    expectProblem(answer, "payload-too-large")
    expect(answer.json).toMatchObject({ detail: expect.stringMatching(/response.*6 MB/) })
  })

  test("seals a value that only its escapes make too large where it can be opened again", async () => {
    // In base64, as API Gateway passes on what it does not regard as text.
    const contentType = "application/vnd.test+json"
    const literal = `"${'\\"'.repeat(2_200_000)}"`
    const encrypted = await service.post("/encrypt", literal, { contentType })
    expect(encrypted.status).toBe(200)
    expect((await service.post("/decrypt", encrypted.text)).text === literal).toBe(true)
    // As text it is twice as large.
    expectProblem(await service.post("/encrypt", literal), "payload-too-large")
  })

  test("opens a value of the largest size whose token can be returned, and refuses to seal a larger one", async () => {
    const most = 6 * MB - 16 * KB
    // Longer by the difference between the longest token and one without a role.
    const bytes = Math.floor(((most - longestTokenOf(0)) * 3) / 4) - 16
    for (const size of [bytes, bytes + 100]) {
      const literal = JSON.stringify("a".repeat(size))
      const encrypted = await service.post("/encrypt", literal)
      if (size === bytes) {
        expect(encrypted.status).toBe(200)
        const decrypted = await service.post("/decrypt", encrypted.text)
        expect([decrypted.status, decrypted.text === literal]).toEqual([200, true])
      } else expectProblem(encrypted, "payload-too-large")
    }
  })

  test("accepts a document of 5 MB that comes back unchanged", async () => {
    const answer = await service.post("/decrypt", `[${"[],".repeat(1_700_000)}[]]`)
    expect(answer.status).toBe(200)
  })
})
