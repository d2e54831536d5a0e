import type { Action, Selection } from "@sealway/relay-engine"
import { describe, expect, test } from "vitest"
import type { Relay } from "../relays/relay.ts"
import { warningsOf } from "./relay-warnings.ts"

const selection = (
  type: Selection["type"],
  selector: string,
  changes: Partial<Selection> = {},
): Selection => ({ type, selector, role: null, ...changes })
const encrypt = (...selections: Selection[]): Action => ({ action: "encrypt", selections })
const decrypt = (...selections: Selection[]): Action => ({ action: "decrypt", selections })

/** Returns codes and pointers of the warnings for a relay with an API key and one route. */
function warned(request: readonly Action[], changes: Partial<Relay> = {}, response: readonly Action[] = []) {
  const relay: Relay = {
    id: "relay_1",
    teamId: "team_1",
    appId: "app_1",
    destinationDomain: "a.example",
    destination: { scheme: "https", host: "a.example", port: 443 },
    relayDomain: "a.relay.example",
    routes: [{ method: null, path: "/**", request, response }],
    authentication: "api-key",
    encryptEmptyStrings: true,
    clientCertificate: null,
    leakWatch: "off",
    caseSensitiveNames: false,
    unknownContentTypes: "refuse",
    unencryptableErrors: "refuse",
    unmatched: "refuse",
    passContentTypes: [],
    rewriteLocations: true,
    forwardedHeaders: "x-forwarded",
    serverTiming: false,
    createdAt: 1,
    updatedAt: 1,
    revision: 1,
    ...changes,
  }
  return warningsOf(relay, 0).map(({ code, pointer }) => `${code} ${pointer}`)
}

describe("a relay warning is given for", () => {
  test("bodies of unknown type that pass when requests are to be encrypted", () => {
    const passing = { unknownContentTypes: "pass" } as const
    expect(warned([encrypt(selection("json", "$.a"))], passing)).toEqual([
      "unknown-content-types-pass /unknownContentTypes",
    ])
    expect(warned([encrypt(selection("json", "$.a"))])).toEqual([])
    expect(warned([encrypt(selection("header", "X-A"), selection("query", "a"))], passing)).toEqual([])
    expect(warned([decrypt(selection("json", "$.a"))], passing)).toEqual([])
    expect(warned([], passing, [encrypt(selection("json", "$.a"))])).toEqual([])
  })

  test("requests that pass without a route, where anything is encrypted", () => {
    const passing = { unmatched: "pass" } as const
    expect(warned([encrypt(selection("header", "X-A"))], passing)).toEqual(["unmatched-pass /unmatched"])
    expect(warned([], passing, [encrypt(selection("json", "$.a"))])).toEqual(["unmatched-pass /unmatched"])
    expect(warned([decrypt(selection("json", "$.a"))], passing)).toEqual([])
  })

  test("redirects that lead clients to the destination itself, where requests are encrypted", () => {
    const leading = { rewriteLocations: false }
    const expected = ["locations-pass /rewriteLocations"]
    expect(warned([encrypt(selection("header", "X-A"))], leading)).toEqual(expected)
    expect(warned([], leading, [encrypt(selection("json", "$.a"))])).toEqual([])
  })

  test.each([["*"], ["application/octet-stream"]])(
    "bodies that pass with any content, where bodies are encrypted: %s",
    (type) => {
      const passing = { passContentTypes: ["image/png", type] }
      const expected = ["content-types-pass /passContentTypes"]
      expect(warned([encrypt(selection("json", "$.a"))], passing)).toEqual(expected)
      expect(warned([], passing, [encrypt(selection("json", "$.a"))])).toEqual(expected)
      expect(warned([encrypt(selection("query", "a"))], passing)).toEqual([])
      expect(warned([encrypt(selection("json", "$.a"))], { passContentTypes: ["image/png"] })).toEqual([])
    },
  )

  test("selections that another prefix of the same namespace bypasses", () => {
    const selector = "$.o['a:n']"
    const pointer = "/routes/0/request/0/selections/0/selector"
    expect(warned([encrypt(selection("xml", selector))])).toEqual([`prefix-without-namespace ${pointer}`])
    expect(warned([encrypt(selection("xml", selector, { namespaces: { a: "urn:a" } }))])).toEqual([])
    expect(warned([encrypt(selection("xml", "$.o.n['@xml:lang']"), selection("json", "$['a:n']"))])).toEqual(
      [],
    )
  })
})
