import { packFile, writeZip } from "@sealway/functions"
import fc from "fast-check"
import { expect, test } from "vitest"
import { readZip } from "./unpack-zip.ts"

const arbitraryFiles = fc.uniqueArray(
  fc.record({
    path: fc.stringMatching(/^[a-z0-9_.]{1,8}(\/[a-z0-9_.]{1,8}){0,2}$/),
    content: fc.uint8Array({ maxLength: 2_000 }),
  }),
  { selector: ({ path }) => path, maxLength: 8 },
)

const pack = (files: readonly { readonly path: string; readonly content: Uint8Array }[]) =>
  Promise.all(files.map(({ path, content }) => packFile(path, content)))

test("unpacks a zip to its files, in the order of their paths", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryFiles, async (files) => {
      const entries = readZip(writeZip(await pack(files)))
      const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
      expect(entries.map(({ path, content }) => ({ path, content: content.toString("hex") }))).toEqual(
        sorted.map(({ path, content }) => ({ path, content: Buffer.from(content).toString("hex") })),
      )
    }),
  )
})

test("packs equal files to equal zips, in any order", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryFiles, async (files) => {
      const zip = writeZip(await pack(files))
      expect(writeZip(await pack(files.toReversed())).equals(zip)).toBe(true)
    }),
  )
})

test("packs an empty zip as its end alone", () => {
  expect(writeZip([]).toString("hex")).toBe(`504b0506${"0".repeat(36)}`)
})
