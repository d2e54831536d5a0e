import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { ROOT } from "../support/start.ts"
import { readDocument } from "./read-documents.ts"

const PAGE = "docs/threat-model.md"
const page = readFileSync(join(ROOT, PAGE), "utf8")
const sectionOf = (title: string) =>
  new RegExp(`^## ${title}$\n(.*?)(?=^## |$(?![^]))`, "ms").exec(page)?.[1] ?? ""
/** Rows of all tables, without their headers. */
const rowsIn = (text: string) => text.match(/^\|(?! *(?:attack|requirement) *\||[-|: ]+$).+\|$/gm) ?? []
const PATH = /`((?:packages|test|stacks|scripts|\.ci)\/[^`]+)`/g

describe("docs/threat-model.md", () => {
  test("names files that exist, and code for what has no test", () => {
    const paths = readDocument(PAGE).spans.filter((span) =>
      /^(?:packages|test|stacks|scripts|\.ci)\//.test(span),
    )
    expect(paths.length).toBeGreaterThan(50)
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  test("names for each attack what prevents it, and the test or the code that proves it", () => {
    const rows = rowsIn(sectionOf("Attacks and defences"))
    expect(rows.length).toBeGreaterThan(30)
    expect(rows.filter((row) => [...row.matchAll(PATH)].length === 0)).toEqual([])
  })

  test("says for each requirement of PCI DSS what remains the operator's task", () => {
    const rows = rowsIn(sectionOf("PCI DSS v4\\.0\\.1"))
    const numbers = rows.map((row) => Number(/^\| (\d+)/.exec(row)?.[1]))
    expect(new Set(numbers)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]))
    expect(
      rows.filter((row) =>
        row.split("|").some((cell, place) => place > 0 && place < 4 && cell.trim() === ""),
      ),
    ).toEqual([])
  })
})
