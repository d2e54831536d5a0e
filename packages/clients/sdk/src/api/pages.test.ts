import { describe, expect, test } from "vitest"
import { Pages } from "./pages.ts"

/** A list whose service answers so, one answer for each page, and what was asked for. */
function listOf(answers: readonly unknown[]) {
  const asked: (string | null)[] = []
  const pages = new Pages<unknown>(async (next) => {
    asked.push(next)
    return answers[asked.length - 1]
  })
  return { asked, pages }
}

describe("a list", () => {
  test("goes on after the last id, after continueAfter, or to the next page, whichever the service names", async () => {
    const { asked, pages } = listOf([
      { data: [{ id: "a" }, { id: "b" }], hasMore: true },
      { data: [], hasMore: true, continueAfter: "x" },
      { data: [{ id: "c" }], nextPage: 3, pageSize: 1, total: 9 },
      { data: [{ id: "d" }], hasMore: false, continueAfter: null },
    ])
    expect(await Array.fromAsync(pages)).toEqual([{ id: "a" }, { id: "b" }, { id: "c" }, { id: "d" }])
    expect(asked).toEqual([null, "b", "x", "3"])
  })

  test("asks for nothing before it is read, and for no more than is read", async () => {
    const { asked, pages } = listOf([{ data: [{ id: "a" }], hasMore: true }])
    expect(asked).toEqual([])
    expect(await pages.first()).toEqual([{ id: "a" }])
    expect(asked).toEqual([null])
  })

  test("is read page by page, each with what selects the next one", async () => {
    const { asked, pages } = listOf([
      { data: [{ id: "b" }], hasMore: true },
      { data: [{ id: "a" }], hasMore: false },
    ])
    expect(await pages.page()).toEqual({ data: [{ id: "b" }], next: "b" })
    expect(await pages.page("b")).toEqual({ data: [{ id: "a" }], next: null })
    expect(asked).toEqual([null, "b"])
  })

  test("tells how many items there are, if the service counts them, and where each page ends", async () => {
    const { pages } = listOf([
      { data: [{ id: "a" }], nextPage: 1, total: 2 },
      { data: [{ id: "b" }], nextPage: null, total: 2 },
    ])
    expect(await Array.fromAsync(pages.pages())).toEqual([
      { data: [{ id: "a" }], next: "1", total: 2 },
      { data: [{ id: "b" }], next: null, total: 2 },
    ])
  })

  test.each([
    [
      "does not advance",
      [
        { data: [{ id: "a" }], hasMore: true },
        { data: [{ id: "a" }], hasMore: true },
      ],
    ],
    ["goes in a circle of one", [1, 2, 3, 4].map(() => ({ data: [], nextPage: 1 }))],
    [
      "goes in a circle of two",
      [
        { data: [{ id: "a" }], hasMore: true },
        { data: [{ id: "b" }], hasMore: true },
        { data: [{ id: "a" }], hasMore: true },
        { data: [{ id: "b" }], hasMore: true },
      ],
    ],
    ["has more, but is empty", [{ data: [], hasMore: true }]],
    ["has items without an id", [{ data: [{ name: "a" }], hasMore: true }]],
    ["is none", [{ items: [] }]],
    ["is null", [null]],
  ])("ends with unexpected-response when it %s", async (_, answers) => {
    const { asked, pages } = listOf(answers)
    await expect(Array.fromAsync(pages)).rejects.toMatchObject({ code: "unexpected-response" })
    expect(asked.length).toBeLessThan(4)
  })
})
