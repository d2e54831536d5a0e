import { expect, test } from "vitest"
import { layOut } from "./table-layout.ts"

test("columns stand under each other, whatever width the characters have", () => {
  expect(
    layOut([
      ["ID", "NAME", "CREATED"],
      ["app_1", "漢字", "2026"],
      ["app_22", "é👩‍💻", "2027"],
    ]),
  ).toEqual(["ID      NAME  CREATED", "app_1   漢字  2026", "app_22  é👩‍💻   2027"])
})

test("lines have no space at their end", () => {
  expect(
    layOut([
      ["name", ""],
      ["id", "x"],
    ]),
  ).toEqual(["name", "id    x"])
})

test("nothing is laid out as nothing", () => {
  expect(layOut([])).toEqual([])
})
