import { listAuditLogs, type Transport } from "@sealway/sdk/api"
import { describe, expect, test } from "vitest"
import { followList } from "./follow-list.ts"

/** Creates a list that grows by one item before each poll but the first, and counts the pages requested. */
function growingList(length: number) {
  let newest = length
  let pages = 0
  const service: Transport = {
    async send({ query = {} }) {
      pages++
      const from = query.startingAfter === undefined ? newest : Number(query.startingAfter) - 1
      const ids = Array.from({ length: Math.min(100, from) }, (_, index) => String(from - index))
      const content = { data: ids.map((id) => ({ id })), hasMore: from > ids.length }
      return { status: 200, headers: new Headers(), content }
    },
  }
  return { service, grow: (by: number) => (newest += by), pages: () => pages }
}

/** Returns what is shown of a growing list, poll by poll. */
async function follow(list: ReturnType<typeof growingList>, growth: readonly number[], maxFirst = 2) {
  const end = new AbortController()
  const shown: string[] = []
  const left = [...growth]
  const host = {
    wallClock: () => 0,
    signal: end.signal,
    sleep: async () => {
      const by = left.shift()
      if (by === undefined) throw new Error("ended")
      list.grow(by)
    },
  }
  try {
    for await (const { id } of followList(
      host,
      (from) => listAuditLogs(list.service, { from }),
      maxFirst,
      () => {},
    )) {
      shown.push(id)
    }
  } catch (error) {
    if (!(error instanceof Error) || error.message !== "ended") throw error
  }
  return shown
}

describe("following a list", () => {
  test("of more than a page shows only new items after the initial ones", async () => {
    expect(await follow(growingList(250), [1, 0, 2])).toEqual(["249", "250", "251", "252", "253"])
  })

  test("shows all of more than a page of new items, in order", async () => {
    const shown = await follow(growingList(250), [230])
    expect(shown).toEqual(Array.from({ length: 232 }, (_, index) => String(249 + index)))
  })

  test("requests one page each time when nothing is new", async () => {
    const list = growingList(250)
    await follow(list, [0, 0])
    expect(list.pages()).toBe(3)
  })

  test("that starts empty shows the first items", async () => {
    expect(await follow(growingList(0), [0, 2])).toEqual(["1", "2"])
  })
})
