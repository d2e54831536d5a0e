import { MB } from "@sealway/kernel"
import { expect, test } from "vitest"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

/** One request may have 28 of them. */
const service = useService("container", { memoryBytes: 64 * MB })

const listOf = (count: number, item: string) => Buffer.from(`[${Array(count).fill(item).join(",")}]`)

test("requests that take more memory together than there is are served one after another, or refused for now", async () => {
  const document = listOf(10_000, '"a"')
  const answers = await Promise.all(Array.from({ length: 8 }, () => service.post("/encrypt", document)))
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expectProblem(answer, "service-unavailable")
    expect(answer.headers.get("retry-after")).toBe("1")
  }
  const [served] = answers.filter(({ status }) => status === 200)
  expect((await service.post("/decrypt", served?.bytes)).bytes.equals(document)).toBe(true)
})

test.each([
  ["/encrypt", listOf(100_000, "7")],
  ["/decrypt", listOf(400_000, '"ev:"')],
  ["/rewrap", listOf(400_000, '"ev:"')],
  ["/fingerprint", Buffer.from(`{"token":${listOf(600_000, "{}")}}`)],
  ["/data-policies/simulate", Buffer.from(`{"a":${listOf(600_000, "{}")}}`)],
])(
  "POST %s refuses with payload-too-large what would take more memory than a request may have",
  async (path, body) => {
    expectProblem(await service.post(path, body), "payload-too-large")
  },
)

test("a value of 5 MB is encrypted, because it takes little more than its bytes", async () => {
  expect((await service.post("/encrypt", JSON.stringify("x".repeat(5_000_000)))).status).toBe(200)
})

test("the longest pages are answered: the memory for their largest records is more than a request may have", async () => {
  expect((await service.get("/relays?limit=100")).status).toBe(200)
  expectProblem(await service.get("/functions/none/logs?limit=1000"), "not-found")
})
