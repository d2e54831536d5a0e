import { describe, expect, test } from "vitest"
import { csvLine, csvTitles } from "./csv.ts"

const columns = [
  { title: "name", value: ({ name }: { name: string }) => name },
  { title: "a,b", value: () => "1" },
]

describe("a CSV line", () => {
  test("quotes commas, quotes and line breaks, and nothing else", () => {
    expect(csvTitles(columns)).toBe('name,"a,b"')
    expect(csvLine(columns, { name: 'say "hi"\n, all' })).toBe('"say ""hi""\n, all",1')
    expect(csvLine(columns, { name: "pci=3" })).toBe("pci=3,1")
  })

  test.each(["=1+1", "+1", "-x=2", "@SUM(A1)", "\t=1"])("disarms the formula %j", (name) => {
    expect(csvLine(columns, { name })).toBe(`'${name},1`)
  })
})
