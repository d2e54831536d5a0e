import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { RelayError } from "../errors/relay-error.ts"
import { SelectorError } from "../errors/selector-error.ts"
import type { Route } from "../operations/selection.ts"
import { compileRelay } from "./compile-relay.ts"
import { matchRoutes } from "./match-routes.ts"
import { otherReadings } from "./path-readings.ts"

const route = (path: string, method: string | null = null): Route => ({
  method,
  path,
  request: [],
  response: [],
})
const relayOf = (...routes: readonly Route[]) =>
  compileRelay({
    routes,
    encryptEmptyStrings: true,
    leakWatch: "off",
    caseSensitiveNames: false,
    unknownContentTypes: "refuse",
    unencryptableErrors: "refuse",
    unmatched: "pass",
    passContentTypes: [],
  })

/** Returns the paths of the matching routes; `refused` when the request is. */
function match(
  paths: readonly (string | Route)[],
  target: string,
  method = "POST",
  rawHeaders: readonly string[] = [],
) {
  const compiled = relayOf(...paths.map((path) => (typeof path === "string" ? route(path) : path)))
  try {
    return matchRoutes(compiled, { method, target, rawHeaders }).patterns
  } catch (error) {
    if (error instanceof RelayError && error.code === "bad-request") return "refused"
    throw error
  }
}

describe("the routes of a request", () => {
  test.each([
    ["/", "/", true],
    ["/", "/a", false],
    ["/checkout", "/checkout", true],
    ["/checkout", "/checkout/", true],
    ["/checkout/", "/checkout", true],
    ["/checkout", "/checkout?x=/a/../b%2f", true],
    ["/checkout", "/checkouts", false],
    ["/checkout", "/checkout/1", false],
    ["/patients/*/reports", "/patients/7/reports", true],
    ["/patients/*/reports", "/patients/7/8/reports", false],
    ["/patients/*", "/patients", false],
    ["/patients/*", "/patients/a%20b", true],
    ["/**", "/", true],
    ["/**", "/a/b", true],
    ["/api/**", "/api", true],
    ["/api/**", "/api/v1/x", true],
    ["/api/**", "/apis", false],
    ["/api/*/x/**", "/api/1/x/y/z", true],
    ["/api/*/x/**", "/api/1", false],
    ["/café", "/caf%C3%A9", true],
    ["/café", "/caf%c3%a9", true],
    ["/caf%C3%A9", "/caf%C3%A9", true],
    ["/a@b", "/a%40b", true],
    ["/**", "*", false],
  ])("%s matches %s: %s", (path, target, isMatched) => {
    expect(match([path], target)).toEqual(isMatched ? [path] : [])
  })

  test("are all that match, in order", () => {
    expect(match(["/b", "/**", "/a/*", "/a/b"], "/a/b")).toEqual(["/**", "/a/*", "/a/b"])
  })

  test("are those for its method, and those for all methods; HEAD is GET", () => {
    const routes = [route("/a", "GET"), route("/a/", "POST"), route("/a/**")]
    expect(match(routes, "/a", "POST")).toEqual(["/a/", "/a/**"])
    expect(match(routes, "/a", "HEAD")).toEqual(["/a", "/a/**"])
    expect(match(routes, "/a", "PUT")).toEqual(["/a/**"])
  })

  test("are computed once for every combination", () => {
    const compiled = relayOf(route("/a"), route("/**"))
    const request = { method: "GET", target: "/a", rawHeaders: [] }
    expect(matchRoutes(compiled, request)).toBe(matchRoutes(compiled, { ...request, target: "/a?b" }))
  })
})

describe("an ambiguous path", () => {
  test.each([
    "//checkout",
    "/a/../checkout",
    "/./checkout",
    "/a/%2e%2e/checkout",
    "/a/.%2E/checkout",
    "/a%2f..%2fcheckout",
    "/%2fcheckout",
    "/%5ccheckout",
    "\\checkout",
    "/\\checkout",
    "/checkout;a=b",
    "/checkout;",
    "/;x/checkout",
    "/a/..;/checkout",
    "/checkout%3fa",
    "/checkout%23a",
    "/checkout#a",
    "/checkout%00.png",
    "/%2563heckout",
    "/checkout/.",
    "/checkout//..",
    "/checkout/;/..",
    "/checkout/a/..",
    "/checkout/%2e",
    "/CHECKOUT",
    "/Checkout",
    "/%43heckout",
    "/checkout%2f",
    "/checkout%252f",
    "/%25%36%33heckout",
  ])("is refused when one of its readings leads to other routes: %s", (target) => {
    expect(match(["/checkout"], target.startsWith("/") ? target : `/${target}`)).toBe("refused")
  })

  test("leads nowhere else when a letter is percent-encoded, as all servers decode that", () => {
    expect(match(["/checkout"], "/%63heckout")).toEqual(["/checkout"])
  })

  test("is refused when another reading lacks one of its routes", () => {
    expect(match(["/open/**"], "/open/../secret")).toBe("refused")
    expect(match(["/open/*"], "/open/a%2fb")).toBe("refused")
  })

  test.each(["/projects/a%2Fb", "/a//b", "/x/../y", "/A;b=c", "/a%25b"])(
    "passes when all readings lead to the same routes: %s",
    (target) => {
      expect(match(["/checkout"], target)).toEqual([])
      expect(match(["/**"], target)).toEqual(["/**"])
    },
  )

  test("is refused when it is too long for all its readings", () => {
    expect(match(["/checkout"], `/${"a".repeat(5_000)}`)).toEqual([])
    expect(match(["/checkout"], `/${"%20".repeat(5_000)}`)).toBe("refused")
    expect(match(["/**"], `/${"%20".repeat(5_000)}`)).toEqual(["/**"])
  })

  test("does not bypass a route with any mix of spellings that common servers decode", () => {
    const noise = fc.constantFrom(
      "/",
      "/./",
      "//",
      "/x/../",
      "/x/%2e%2e/",
      "/x%2f../",
      "/;p/",
      "/x/..;/",
      "/x\\..\\",
    )
    const letter = (character: string) =>
      fc.constantFrom(character, `%${character.charCodeAt(0).toString(16)}`, character.toUpperCase())
    const word = fc.tuple(...[..."pay"].map(letter)).map((letters) => letters.join(""))
    const tail = fc.constantFrom("", "/", ";x=1", "/.", "//", "?q", "#f", "%00", "/x/..")
    fc.assert(
      fc.property(noise, word, tail, (before, spelled, after) => {
        expect(match(["/pay"], before + spelled + after)).not.toEqual([])
      }),
    )
  })

  test("has a bounded number of readings", () => {
    const worst = "/a%252f..%2f.%2e/;b//%5c\\c%253b/../%2523%00"
    expect(otherReadings(worst).length).toBeLessThanOrEqual(320)
  })
})

describe("a request that overrides its method or path", () => {
  test("is refused when routes apply to some methods only", () => {
    const header = ["X-HTTP-Method-Override", "POST"]
    expect(match([route("/a", "POST")], "/a", "PUT", header)).toBe("refused")
    expect(match([route("/a", "POST")], "/a", "POST", header)).toEqual(["/a"])
    expect(match(["/a"], "/a", "PUT", header)).toEqual(["/a"])
  })

  test.each([
    [
      "in a header whose name has underscores, which CGI takes for dashes",
      "/a",
      ["x_http_method_override", "POST"],
    ],
    ["in its query", "/a?b&_method=post", []],
    ["in its query, percent-encoded", "/a?%5Fmethod=%50ost", []],
  ])("is refused when routes apply to some methods only, and it does so %s", (_, target, headers) => {
    expect(match([route("/a", "POST")], target, "PUT", headers)).toBe("refused")
    expect(match(["/a"], target, "PUT", headers)).toEqual(["/a"])
    expect(match([route("/a", "POST")], "/a?_method=POST&x_method=PUT", "POST")).toEqual(["/a"])
  })

  test("is refused when routes apply to some paths only", () => {
    const header = ["X-Original-URL", "/a"]
    expect(match(["/a"], "/b", "POST", header)).toBe("refused")
    expect(match(["/**"], "/b", "POST", header)).toEqual(["/**"])
  })

  test("is refused when its target is not a path", () => {
    expect(match(["/**"], "?a")).toBe("refused")
    expect(match([], "")).toBe("refused")
  })
})

describe("a route's path", () => {
  test.each([
    ["checkout", 0],
    ["", 0],
    ["/a//b", 3],
    ["/a*", 1],
    ["/**/a", 1],
    ["/a/../b", 3],
    ["/a/%2e", 3],
    ["/a%2fb", 1],
    ["/a;b", 1],
    ["/a?b", 1],
    ["/a#b", 1],
    ["/a%zz", 1],
    ["/a\\b", 1],
    ["/a\u0000", 1],
    [`/${"a".repeat(1_024)}`, null],
  ])("is refused when it is invalid, or could be spelled in ways that do not match: %j", (path, position) => {
    const compile = () => relayOf(route("/ok"), route(path))
    expect(compile).toThrow(SelectorError)
    expect(compile).toThrow(expect.objectContaining({ position }))
    expect(compile).toThrow(/^routes\[1\]\.path: /)
  })
})
