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
const relayOf = (routes: readonly Route[], unmatched: "refuse" | "pass" = "pass") =>
  compileRelay({
    routes,
    unmatched,
    encryptEmptyStrings: true,
    leakWatch: "off",
    caseSensitiveNames: false,
    unknownContentTypes: "refuse",
    unencryptableErrors: "refuse",
    passContentTypes: [],
  })

/** Returns the paths of the matching routes; `refused` when the request is. */
function match(
  paths: readonly (string | Route)[],
  target: string,
  method = "POST",
  rawHeaders: readonly string[] = [],
) {
  const compiled = relayOf(paths.map((path) => (typeof path === "string" ? route(path) : path)))
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
    const compiled = relayOf([route("/a"), route("/**")])
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
    "/checkout.json",
    "/checkout.tar.gz",
    "/checkout.",
    "/checkout.json/",
    "/a/../checkout.xml",
    "/index.php/checkout",
    "/INDEX.PHP/checkout",
    "/app/web/index.php/checkout",
    "/index.php/checkout.json",
    "/index.php5//checkout",
    "/a%2findex.php%2fcheckout",
    "/checkout%0a",
    "/checkout%0D%0A",
    "/checkout%7f",
    "/checkout%ff",
    "/chec%ffkout",
    "/%e2%28heckout/..%80/checkout",
    "/checkout%20",
    "/checkout%20.%20",
    "/checkout%ff.json",
  ])("is refused when one of its readings leads to other routes: %s", (target) => {
    expect(match(["/checkout"], target.startsWith("/") ? target : `/${target}`)).toBe("refused")
  })

  test.each([
    [["/users/*/card"], "/users/1/card%0a"],
    [["/users/*/card"], "/users/1/card.json"],
    [["/users/*/card"], "/index.php/users/1/card"],
    [["/users/*/card"], "/users%ff/1/card"],
    [["/pay/*"], "/pay/%0a"],
    [["/pay/*"], "/pay%0a/1"],
    [["/pay/*", "/**"], "/index.php/pay/1"],
    [["/pay.php"], "/pay.php/x"],
    [["/**", "/pay"], "/pay.json"],
    [["/**", "/pay.v1"], "/pay.v1.json"],
    [["/**", "/pay"], "/(S(lit3py55t21z5v55vlm25s55))/pay"],
    [["/**", "/pay"], "/%28f%28x%29%29/pay"],
    [["/**", "/pay"], "/%u0070ay"],
    [["/**", "/pay"], "/x/%u002e./pay"],
    [["/api.v1/**", "/api.v1/pay"], "/api.v1/pay.json"],
  ])("is refused for routes with wildcards and scripts too: %j, %s", (paths, target) => {
    expect(match(paths, target)).toBe("refused")
  })

  test.each([
    [["/files/*"], "/files/a.json", ["/files/*"]],
    [["/api/**"], "/api/v1.2/a.b.c", ["/api/**"]],
    [["/pay"], "/v1.2/pay", []],
    [["/pay"], "/.well-known/pay", []],
    [["/"], "/.env", []],
    [["/pay"], "/payments.json", []],
    [["/files/a.json"], "/files/a.json", ["/files/a.json"]],
    [["/a/index.php", "/"], "/a/index.php", ["/a/index.php"]],
    [["/a/*/b.json"], "/a/1/b.json", ["/a/*/b.json"]],
    [["/a.json", "/a"], "/a.json", ["/a.json"]],
    [["/pay", "/**"], "/pay(1)", ["/**"]],
    [["/pay"], "/(x)/pay", []],
  ])("passes when its extension changes no route: %j, %s", (paths, target, matched) => {
    expect(match(paths, target)).toEqual(matched)
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
      "/index.php/",
      "/x/app.php//",
      "/%ff",
      "/(S(a))/",
    )
    const letter = (character: string) =>
      fc.constantFrom(character, `%${character.charCodeAt(0).toString(16)}`, character.toUpperCase())
    const word = fc.tuple(...[..."pay"].map(letter)).map((letters) => letters.join(""))
    const tail = fc.constantFrom(
      ...["", "/", ";x=1", "/.", "//", "?q", "#f", "%00", "/x/..", ".json", ".a.b", "%0a", "%ff", "%20", "."],
    )
    fc.assert(
      fc.property(noise, word, tail, (before, spelled, after) => {
        expect(match(["/pay"], before + spelled + after)).not.toEqual([])
      }),
    )
  })

  test("has a bounded number of readings, and is refused with more", () => {
    const many = "/a%252f..%2f.%2e/;b//%5c\\c%253b/../%2523%00"
    const { same = [], within = [] } = otherReadings(many) ?? {}
    expect(same.length).toBeGreaterThan(50)
    expect(same.length + within.length).toBeLessThanOrEqual(400)
    const most = `${many}${"/a.php".repeat(300)}`
    expect(otherReadings(most)).toBeNull()
    expect(match(["/checkout"], most)).toBe("refused")
  })
})

describe("a request that overrides its method or path", () => {
  const routes = [route("/a", "POST"), route("/a", "PUT")]

  test.each([
    ["in a header", "/a", ["X-HTTP-Method-Override", "POST"]],
    ["in an older header", "/a", ["X-Method-Override", "post"]],
    ["in a header with underscores, which CGI takes for dashes", "/a", ["x_http_method_override", "POST"]],
    ["in a header that nobody has named yet", "/a", ["X-HTTP-Method-Of-Request", "POST"]],
    ["in its query", "/a?b&_method=post", []],
    ["in its query, percent-encoded", "/a?%5Fmethod=%50ost", []],
    ["in its query, in upper case", "/a?_METHOD=POST", []],
    ["in its query, after a semicolon", "/a?b;_method=post", []],
  ])("is refused when its path has a route for another method, and it does so %s", (_, target, headers) => {
    for (const routesOf of [[route("/a", "POST")], routes, [route("/A", "POST")]]) {
      expect(match(routesOf, target, "PUT", headers)).toBe("refused")
    }
    expect(match(["/a"], target, "PUT", headers)).toEqual(["/a"])
    expect(match([route("/b", "POST")], target, "PUT", headers)).toEqual([])
    expect(match([route("/a", "POST")], target, "POST", headers)).toEqual(["/a"])
  })

  test("passes when the names only resemble those", () => {
    expect(match(routes, "/a?_method=POST&x_method=PUT&method=PUT", "POST", ["X-Method", "PUT"])).toEqual([
      "/a",
    ])
  })

  test("has its body watched exactly when its path has a route for another method", () => {
    const watches = (each: readonly Route[], target: string, method: string) =>
      matchRoutes(relayOf(each), { method, target, rawHeaders: [] }).request.watchesMethod
    expect(watches(routes, "/a", "POST")).toBe(true)
    expect(watches([route("/a", "PUT")], "/a", "POST")).toBe(true)
    expect(watches([route("/a", "PUT")], "/A", "POST")).toBe(true)
    expect(watches([route("/a", "PUT")], "/b", "POST")).toBe(false)
    expect(watches([route("/a")], "/a", "POST")).toBe(false)
    expect(watches([route("/a", "PUT")], "/a", "PUT")).toBe(false)
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

describe("a request without a route", () => {
  const selections = [{ type: "json", selector: "$.a", role: null }] as const
  const encrypting = (
    path: string,
    method: string | null,
    direction: "request" | "response" = "request",
  ) => ({ ...route(path, method), [direction]: [{ action: "encrypt" as const, selections }] })
  const decrypting: Route = { ...route("/a"), request: [{ action: "decrypt", selections }] }
  const codeOf = (
    routes: readonly Route[],
    unmatched: "refuse" | "pass",
    method: string,
    target: string,
    rawHeaders: readonly string[] = [],
  ) => {
    try {
      return matchRoutes(relayOf(routes, unmatched), { method, target, rawHeaders }).patterns
    } catch (error) {
      if (!(error instanceof RelayError)) throw error
      expect(error.message).not.toContain(target)
      return error.code
    }
  }

  test.each(["/b", "/a/b", "/", "*", "/b.json"])(
    "is refused with bad-request if the relay says so and encrypts: %s",
    (target) => {
      for (const relay of [[encrypting("/a", "POST")], [encrypting("/a", null, "response")]]) {
        expect(codeOf(relay, "refuse", "POST", target)).toBe("bad-request")
        expect(codeOf(relay, "pass", "POST", target)).toEqual([])
      }
      expect(codeOf([decrypting], "refuse", "POST", target)).toEqual([])
      expect(codeOf([], "refuse", "POST", target)).toEqual([])
    },
  )

  test("is refused for another method too, and passes where a route without actions describes it", () => {
    const relay = [encrypting("/a", "POST"), route("/static/**", "GET")]
    expect(codeOf(relay, "refuse", "PUT", "/a")).toBe("bad-request")
    expect(codeOf(relay, "refuse", "HEAD", "/static/a.js")).toEqual(["/static/**"])
  })

  test("is marked as tolerated if the relay passes it and encrypts others", () => {
    const isTolerated = (
      routes: readonly Route[],
      target: string,
      method = "POST",
      rawHeaders: readonly string[] = [],
    ) => matchRoutes(relayOf(routes), { method, target, rawHeaders }).isTolerated
    const relay = [encrypting("/a", "POST")]
    expect(isTolerated(relay, "/b")).toBe(true)
    expect(isTolerated(relay, "/a")).toBe(false)
    expect(isTolerated(relay, "/a", "OPTIONS", ["Access-Control-Request-Method", "POST"])).toBe(false)
    expect(isTolerated(relay, "/a", "OPTIONS")).toBe(true)
    expect(isTolerated([decrypting], "/b")).toBe(false)
  })

  test("passes if it is a browser's question before a request that has a route", () => {
    const relay = [encrypting("/a", "POST")]
    const asks = (method: string) => ["Origin", "https://a.example", "Access-Control-Request-Method", method]
    expect(codeOf(relay, "refuse", "OPTIONS", "/a", asks("POST"))).toEqual([])
    expect(codeOf(relay, "refuse", "OPTIONS", "/a", [...asks("POST"), "Content-Length", "0"])).toEqual([])
    for (const [target, headers] of [
      ["/a", asks("PUT")],
      ["/b", asks("POST")],
      ["/a", []],
      ["/a", [...asks("POST"), "Content-Length", "9"]],
      ["/a", [...asks("POST"), "Transfer-Encoding", "chunked"]],
    ] as const) {
      expect(codeOf(relay, "refuse", "OPTIONS", target, headers)).toBe("bad-request")
    }
    expect(codeOf(relay, "refuse", "GET", "/a", asks("POST"))).toBe("bad-request")
  })

  test("has its query encrypted like the request that a browser asks for", () => {
    const selections = [{ type: "query", selector: "card", role: null }] as const
    const get: Route = { ...route("/a", "GET"), request: [{ action: "encrypt", selections }] }
    const relay = relayOf([get, { ...decrypting, method: "GET" }, encrypting("/a", "PUT")], "refuse")
    const queryOf = (wanted: string) => {
      const rawHeaders = ["Access-Control-Request-Method", wanted]
      const { request } = matchRoutes(relay, { method: "OPTIONS", target: "/a?card=4242", rawHeaders })
      return [request.query.selectors, request.decrypts]
    }
    expect(queryOf("GET")).toEqual([["card"], false])
    expect(queryOf("PUT")).toEqual([[], false])
  })
})

describe("a path that came before", () => {
  const post: Route = {
    ...route("/a.b", "POST"),
    request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.card", role: null }] }],
  }

  test("has the same routes again, whatever its query is", () => {
    const relay = relayOf([post, route("/**")])
    const match = (method: string, target: string) => matchRoutes(relay, { method, target, rawHeaders: [] })
    const first = match("POST", "/a.b?x=1")
    expect(first.patterns).toEqual(["/a.b", "/**"])
    expect(match("POST", "/a.b?y=2")).toBe(first)
    expect(match("PUT", "/a.b").patterns).toEqual(["/**"])
    expect(match("POST", "/a.c").patterns).toEqual(["/**"])
    expect(match("POST", "*").patterns).toEqual([])
    const all = relayOf([route("/**")])
    expect(matchRoutes(all, { method: "OPTIONS", target: "/a", rawHeaders: [] }).patterns).toEqual(["/**"])
    expect(matchRoutes(all, { method: "OPTIONS", target: "*", rawHeaders: [] }).patterns).toEqual([])
  })

  test("is refused again, and for headers that a request before it did not have", () => {
    const relay = relayOf([post], "refuse")
    const refused = expect.objectContaining({ code: "bad-request" })
    const match = (method: string, target: string, ...rawHeaders: string[]) =>
      matchRoutes(relay, { method, target, rawHeaders })
    for (let time = 0; time < 2; time++) {
      expect(() => match("PUT", "/a.b")).toThrow(refused)
      expect(() => match("POST", "/A.b")).toThrow(refused)
      expect(match("POST", "/a.b").patterns).toEqual(["/a.b"])
      expect(() => match("POST", "/a.b", "X-Original-URL", "/b")).toThrow(refused)
      expect(match("OPTIONS", "/a.b", "Access-Control-Request-Method", "POST").patterns).toEqual([])
      expect(() => match("OPTIONS", "/a.b")).toThrow(refused)
    }
    const passing = relayOf([post, route("/a.b", "PUT")])
    const put = (...rawHeaders: string[]) =>
      matchRoutes(passing, { method: "PUT", target: "/a.b", rawHeaders })
    expect(put().request.watchesMethod).toBe(true)
    expect(() => put("X-HTTP-Method-Override", "POST")).toThrow(refused)
  })

  test("says again that it is tolerated, but not for a browser's question about a route", () => {
    const relay = relayOf([post])
    const asks = ["Access-Control-Request-Method", "POST"]
    const isTolerated = (...rawHeaders: string[]) =>
      matchRoutes(relay, { method: "OPTIONS", target: "/a.b", rawHeaders }).isTolerated
    expect([isTolerated(), isTolerated(...asks), isTolerated(), isTolerated(...asks)]).toEqual([
      true,
      false,
      true,
      false,
    ])
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
    const compile = () => relayOf([route("/ok"), route(path)])
    expect(compile).toThrow(SelectorError)
    expect(compile).toThrow(expect.objectContaining({ position }))
    expect(compile).toThrow(/^routes\[1\]\.path: /)
  })
})
