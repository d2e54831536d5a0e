import { type App, listApps, listMerchants, type Transport } from "@sealway/sdk/api"
import { expect, test } from "vitest"
import { createOutput } from "../terminal/output.ts"
import { createTestHost } from "../testing/test-host.ts"
import { pageRequestOf, printList } from "./print-list.ts"

/** Prints, as JSON, what a service answers with pages, one per call; returns that, and what was asked. */
async function print(pages: readonly object[], options: { limit: number; all: boolean }, isNumbered = false) {
  const asked: unknown[] = []
  const service: Transport = {
    async send({ query }) {
      asked.push(query)
      return { status: 200, headers: new Headers(), content: pages[asked.length - 1] }
    },
  }
  const host = createTestHost({ folder: "/" })
  const page = pageRequestOf({ ...options, startingAfter: undefined })
  const columns = [{ title: "id", value: ({ id }: { readonly id: string }) => id }]
  const list = isNumbered ? listMerchants(service) : listApps(service, page)
  await printList<{ readonly id: string }>(createOutput(host, "json"), options, columns, list)
  return { asked, shown: JSON.parse(host.stdoutText()) }
}

const itemsOf = (count: number, first = 1) =>
  Array.from({ length: count }, (_, index) => ({ id: `${first + index}` }))

test("a list ends when enough items came, and says that there are more", async () => {
  const pages = [
    { data: itemsOf(100), hasMore: true },
    { data: itemsOf(100, 101), hasMore: false },
  ]
  const { asked, shown } = await print(pages, { limit: 101, all: false })
  expect(shown).toEqual({ data: itemsOf(101), hasMore: true })
  expect(asked).toEqual([{ limit: "100" }, { limit: "100", startingAfter: "100" }])
})

test("a short list is asked for no more than that, in one call", async () => {
  const { asked, shown } = await print([{ data: itemsOf(3), hasMore: true }], { limit: 3, all: false })
  expect(shown).toEqual({ data: itemsOf(3), hasMore: true })
  expect(asked).toEqual([{ limit: "3" }])
})

test("all of a list comes page by page, also after a page without matches", async () => {
  const pages = [
    { data: itemsOf(1), hasMore: true },
    { data: [], hasMore: true, continueAfter: "x" },
    { data: itemsOf(1, 2), hasMore: false },
  ]
  expect((await print(pages, { limit: 10, all: true })).shown).toEqual({ data: itemsOf(2), hasMore: false })
})

test("a list with numbered pages says how many items there are", async () => {
  const pages = [{ data: itemsOf(3), nextPage: 1, total: 5 }]
  const { shown } = await print(pages, { limit: 2, all: false }, true)
  expect(shown).toEqual({ data: itemsOf(2), total: 5 })
})

test("items that are not what this version knows end the command with status 5", async () => {
  const content = { data: [{ id: "1" }], hasMore: false }
  const service: Transport = { send: async () => ({ status: 200, headers: new Headers(), content }) }
  const columns = [{ title: "limits", value: ({ limits }: App) => String(limits.requestsPerSecond) }]
  const output = createOutput(createTestHost({ folder: "/" }), "text")
  const printed = printList(output, { limit: 1, all: false }, columns, listApps(service))
  await expect(printed).rejects.toMatchObject({ code: "unavailable", exitCode: 5 })
})
