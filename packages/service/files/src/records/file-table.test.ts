import { createMemoryTable } from "@sealway/ports/testing"
import { expect, test } from "vitest"
import { fileRecords, pageStoredFiles } from "./file-table.ts"

const APP = "app_1"

/** Creates files, and places of files that are not stored yet: f and p. */
async function tableOf(kinds: string) {
  const table = createMemoryTable()
  for (const [index, kind] of [...kinds].entries()) {
    await fileRecords.create(table, APP, {
      id: `file_${index}`,
      name: null,
      contentType: "text/plain",
      role: null,
      size: 1,
      createdAt: index,
      header: kind === "f" ? "header" : null,
      completedAt: kind === "f" ? index : null,
      revision: 1,
    })
  }
  return table
}

test.each([
  ["fpff", 2, ["file_3", "file_2"], true],
  ["ffpf", 2, ["file_3", "file_1"], true],
  ["fppf", 2, ["file_3", "file_0"], false],
  ["ppff", 2, ["file_3", "file_2"], false],
  ["pppppp", 2, [], false],
  ["fff", 2, ["file_2", "file_1"], true],
])(
  "a page of %s has %i files that are stored, and says whether there are more",
  async (kinds, limit, ids, hasMore) => {
    const page = await pageStoredFiles(await tableOf(kinds), APP, { limit })
    expect({ ids: page.data.map(({ id }) => id), hasMore: page.hasMore }).toEqual({ ids, hasMore })
  },
)

test("the next page begins after the last file of the one before", async () => {
  const { data } = await pageStoredFiles(await tableOf("fpff"), APP, { limit: 2, startingAfter: "file_2" })
  expect(data.map(({ id }) => id)).toEqual(["file_0"])
})
