import { describe, expect, test } from "vitest"
import { listPages } from "./list-pages.ts"
import type { Call, ServiceClient } from "./service-client.ts"

interface Page {
  readonly ids: readonly string[]
  readonly hasMore: boolean
  readonly continueAfter?: string | null
}

/** Creates a service that answers with pages, one per call and then the last one forever, and records its requests. */
function serviceOf(pages: readonly Page[]) {
  const asked: Call["query"][] = []
  const service: ServiceClient = {
    async send({ query }) {
      asked.push(query)
      const { ids = [], ...rest } = pages[Math.min(asked.length, pages.length) - 1] ?? {}
      return Response.json({ data: ids.map((id) => ({ id })), ...rest })
    },
  }
  return { service, asked }
}

async function idsOf(service: ServiceClient, maxItems: number, startingAfter?: string): Promise<string[]> {
  const ids: string[] = []
  for await (const { items } of listPages(service, { path: ["things"] }, maxItems, startingAfter)) {
    ids.push(...items.map(({ id }) => id))
  }
  return ids
}

describe("the pages of a list", () => {
  test("follow each other by the last id", async () => {
    const { service, asked } = serviceOf([
      { ids: ["3", "2"], hasMore: true },
      { ids: ["1"], hasMore: false },
    ])
    expect(await idsOf(service, Number.POSITIVE_INFINITY, "4")).toEqual(["3", "2", "1"])
    expect(asked).toEqual([
      { limit: "100", startingAfter: "4" },
      { limit: "100", startingAfter: "2" },
    ])
  })

  test("continue at the cursor in the answer after a page without matches", async () => {
    const { service, asked } = serviceOf([
      { ids: [], hasMore: true, continueAfter: "1000" },
      { ids: ["7"], hasMore: false, continueAfter: null },
    ])
    expect(await idsOf(service, 10)).toEqual(["7"])
    expect(asked[1]).toEqual({ limit: "10", startingAfter: "1000" })
  })

  test("end when enough items came, and request no more than those", async () => {
    const hundred = Array.from({ length: 100 }, (_, index) => String(1000 - index))
    const { service, asked } = serviceOf([
      { ids: hundred, hasMore: true },
      { ids: ["1"], hasMore: true },
    ])
    expect((await idsOf(service, 101)).length).toBe(101)
    expect(asked.map((query) => query?.limit)).toEqual(["100", "1"])
  })

  test.each([
    ["says that there is more and shows nothing", { ids: [], hasMore: true }],
    ["repeats itself", { ids: ["1"], hasMore: true }],
  ])("end the command with status 5 when the service %s", async (_what, page) => {
    const { service } = serviceOf([page])
    await expect(idsOf(service, Number.POSITIVE_INFINITY)).rejects.toMatchObject({ exitCode: 5 })
  })

  test("end the command with status 5 when the answer is not a list", async () => {
    const service: ServiceClient = {
      send: async () => Response.json({ data: [{ name: "no id" }], hasMore: false }),
    }
    await expect(idsOf(service, 1)).rejects.toMatchObject({ exitCode: 5 })
  })
})
