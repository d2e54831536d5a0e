import { expect, test } from "vitest"
import { endpoint } from "./endpoint.ts"
import { routesOf } from "./endpoint-routes.ts"

const declare = (method: "GET" | "POST") =>
  endpoint({
    id: "thing",
    method,
    path: "/things/{thing_id}",
    aliases: ["/thing"],
    tag: "Things",
    summary: "A thing",
    description: "",
    auth: [],
    reveals: "nothing",
    status: 200,
    reply: { kind: "none", description: "" },
    errors: [],
    grants: [],
    answer: () => ({ body: null }),
  })

test("serves an endpoint at its path and at its aliases", () => {
  expect(routesOf(declare("POST"))).toEqual([
    { method: "POST", path: "/things/{thing_id}" },
    { method: "POST", path: "/thing" },
  ])
})

test("answers HEAD wherever it answers GET", () => {
  expect(routesOf(declare("GET")).map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /things/{thing_id}",
    "HEAD /things/{thing_id}",
    "GET /thing",
    "HEAD /thing",
  ])
})
