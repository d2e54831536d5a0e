import { expect, test } from "vitest"
import { MAIN, placeOf } from "../../stacks/wings.ts"

const WINGS = ["payments"]

test("an endpoint below a wing is in its API, by what is left of the path", () => {
  expect(placeOf({ id: "a", path: "/payments/3ds-sessions" }, WINGS)).toEqual({
    api: "payments",
    paths: ["/3ds-sessions"],
  })
  expect(placeOf({ id: "a", path: "/payments" }, WINGS)).toEqual({ api: "payments", paths: ["/"] })
})

test("an endpoint of any other path is in the main API", () => {
  for (const path of ["/encrypt", "/payments-of-others", "/apps/payments"]) {
    expect(placeOf({ id: "a", path }, WINGS)).toEqual({ api: MAIN, paths: [path] })
  }
})

test("an endpoint with paths in several APIs is refused", () => {
  const both = { id: "both", path: "/payments/a", aliases: ["/a"] }
  expect(() => placeOf(both, WINGS)).toThrow("The paths of the endpoint both are in several APIs.")
})
