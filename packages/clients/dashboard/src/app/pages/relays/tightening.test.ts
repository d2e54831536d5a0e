import { expect, test } from "vitest"
import { refusedWhenTight, tightened } from "./tightening.ts"

test("a tightened relay passes the listed files, nothing else that is not described, and no redirect past it", () => {
  const passContentTypes = ["*", "image/png", "application/octet-stream"] as const
  expect(tightened({ passContentTypes })).toEqual({
    unmatched: "refuse",
    passContentTypes: ["image/png"],
    unknownContentTypes: "refuse",
    rewriteLocations: true,
  })
})

test("the requests that a tightened relay would have refused are those that its options alone let pass", () => {
  const request = { method: "POST", routes: ["/pay"], createdAt: 1 }
  const requests = [
    { ...request, id: "a", tolerated: [] },
    { ...request, id: "b", routes: [], tolerated: ["unmatched" as const] },
    { ...request, id: "c", tolerated: ["request-type" as const, "response-type" as const] },
  ]
  expect(refusedWhenTight(requests)).toEqual([
    { ...request, id: "b", routes: [], reasons: ["no route matches it"] },
    {
      ...request,
      id: "c",
      reasons: [
        "no selection is for the type of its body",
        "no selection is for the type of its response's body",
      ],
    },
  ])
})
