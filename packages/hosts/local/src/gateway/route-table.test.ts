import { describe, expect, it } from "vitest"
import type { Route } from "./route.ts"
import { compileRoutes } from "./route-table.ts"
import { acknowledge } from "./testing/test-gateway.ts"

function tableOf(...keys: string[]) {
  return compileRoutes(
    keys.map((key): Route => {
      const [method = "", path = ""] = key.split(" ")
      return { method, path, functionName: "any", handler: acknowledge }
    }),
  )
}

function routeKeyFor(table: ReturnType<typeof tableOf>, method: string, path: string): string {
  return table.match(method, path)?.routeKey ?? "none"
}

describe("route selection", () => {
  const table = tableOf(
    "GET /pets/dog/1",
    "GET /pets/{kind}/1",
    "GET /pets/dog/{id}",
    "GET /pets/{kind}/{id}",
    "GET /pets/{proxy+}",
    "ANY /{proxy+}",
  )

  it.each([
    ["/pets/dog/1", "GET /pets/dog/1"],
    ["/pets/dog/2", "GET /pets/dog/{id}"],
    ["/pets/cat/1", "GET /pets/{kind}/1"],
    ["/pets/cat/2", "GET /pets/{kind}/{id}"],
    ["/pets/cat", "GET /pets/{proxy+}"],
    ["/pets/cat/2/toys", "GET /pets/{proxy+}"],
    ["/store", "ANY /{proxy+}"],
  ])("prefers the most specific path for %s", (path, routeKey) => {
    expect(routeKeyFor(table, "GET", path)).toBe(routeKey)
  })

  it("falls back to a less specific path when the method does not match", () => {
    expect(routeKeyFor(table, "DELETE", "/pets/dog/1")).toBe("ANY /{proxy+}")
  })

  it("prefers a method by name over ANY", () => {
    const table = tableOf("ANY /keys", "GET /keys")
    expect(routeKeyFor(table, "GET", "/keys")).toBe("GET /keys")
    expect(routeKeyFor(table, "POST", "/keys")).toBe("ANY /keys")
  })

  it("does not use GET for HEAD", () => {
    expect(routeKeyFor(tableOf("GET /keys"), "HEAD", "/keys")).toBe("none")
  })

  it("serves the root", () => {
    expect(routeKeyFor(tableOf("GET /"), "GET", "/")).toBe("GET /")
  })

  it.each(["/encrypt/", "//encrypt", "/ENCRYPT", "/encrypt;x", "/encrypt/.", "/x/../encrypt", "/encryp", ""])(
    "finds nothing at %j when only /encrypt exists",
    (path) => {
      expect(tableOf("POST /encrypt").match("POST", path)).toBeNull()
    },
  )

  it.each(["//apps/a", "/t/apps/", "/t/apps", "/t/apps/a/", "/t//apps/a"])(
    "finds no empty parameter in %s",
    (path) => {
      expect(tableOf("GET /{team_id}/apps/{app_id}").match("GET", path)).toBeNull()
    },
  )

  it("requires at least one character for a greedy parameter", () => {
    const table = tableOf("GET /files/{proxy+}")
    expect(table.match("GET", "/files")).toBeNull()
    expect(table.match("GET", "/files/")).toBeNull()
  })
})

describe("path parameters", () => {
  it("are decoded", () => {
    const match = tableOf("GET /functions/{name}").match("GET", "/functions/a%2Fb%20c")
    expect(match).toMatchObject({ pathParameters: { name: "a/b c" } })
  })

  it("contain the whole rest when they are greedy", () => {
    const match = tableOf("GET /files/{proxy+}").match("GET", "/files/a/b%2Fc/")
    expect(match).toMatchObject({ pathParameters: { proxy: "a/b/c/" } })
  })

  it("have the names of the matching route when two routes of a path name them differently", () => {
    const table = tableOf("GET /apps/{app}", "DELETE /apps/{id}")
    expect(table.match("GET", "/apps/a")).toMatchObject({ pathParameters: { app: "a" } })
    expect(table.match("DELETE", "/apps/a")).toMatchObject({ pathParameters: { id: "a" } })
  })

  it("treat names and values of Object.prototype as ordinary text", () => {
    const match = tableOf("GET /{__proto__}/{constructor}").match("GET", "/toString/__proto__")
    const parameters = match?.pathParameters ?? {}
    expect(Object.entries(parameters)).toEqual([
      ["__proto__", "toString"],
      ["constructor", "__proto__"],
    ])
  })

  it("are absent from a route without any", () => {
    expect(tableOf("GET /keys").match("GET", "/keys")).toMatchObject({ pathParameters: undefined })
  })
})

describe("invalid routes", () => {
  it.each([
    "GET encrypt",
    "GET /a/",
    "GET //a",
    "GET /{}",
    "GET /{a}b",
    "GET /{proxy+}/a",
    "GET /a?b",
    "GET /{a}/{a}",
    "GET ",
  ])("are refused with a TypeError: %j", (key) => {
    expect(() => tableOf(key)).toThrow(TypeError)
  })

  it.each([
    ["GET /keys", "GET /keys"],
    ["GET /keys/{id}", "GET /keys/{name}"],
  ])("are refused with a TypeError when %s and %s match the same", (first, second) => {
    expect(() => tableOf(first, second)).toThrow(TypeError)
  })
})
