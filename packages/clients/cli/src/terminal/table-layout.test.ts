import { expect, test } from "vitest"
import { layOut } from "./table-layout.ts"

test("aligns columns, whatever the width of the characters", () => {
  expect(
    layOut([
      ["ID", "NAME", "CREATED"],
      ["app_1", "漢字", "2026"],
      ["app_22", "é👩‍💻", "2027"],
    ]),
  ).toEqual(["ID      NAME  CREATED", "app_1   漢字  2026", "app_22  é👩‍💻   2027"])
})

test("leaves no trailing spaces", () => {
  expect(
    layOut([
      ["name", ""],
      ["id", "x"],
    ]),
  ).toEqual(["name", "id    x"])
})

test("lays out nothing as nothing", () => {
  expect(layOut([])).toEqual([])
})
