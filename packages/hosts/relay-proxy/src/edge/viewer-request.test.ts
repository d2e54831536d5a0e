import { readFileSync } from "node:fs"
import { createContext, Script } from "node:vm"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { VIEWER_HOST_HEADER, VIEWER_IP_HEADER, VIEWER_TARGET_HEADER } from "./edge-headers.ts"

const SOURCE = readFileSync(new URL("viewer-request.js", import.meta.url), "utf8")
const IMPORT = 'import cf from "cloudfront"'
const MIB_4 = 4_194_304

interface ViewerRequest {
  readonly method?: string
  readonly uri?: string
  /** Default: no query, and no `?`. */
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

const changedSchema = z.object({
  method: z.string(),
  uri: z.string(),
  headers: z.record(z.string(), z.strictObject({ value: z.string() })),
})

/** Runs the function as CloudFront does, as a script whose only import is the runtime's own. */
function run({ method = "GET", uri = "/", query, headers = {} }: ViewerRequest) {
  const origins: string[] = []
  const event = {
    version: "1.0",
    viewer: { ip: "203.0.113.9" },
    request: {
      method,
      uri,
      headers: Object.fromEntries(
        Object.entries({ host: "a.app-1.relay.example.com", ...headers }).map(([name, value]) => [
          name,
          { value },
        ]),
      ),
      rawQueryString: () => query,
    },
  }
  const cf = { selectRequestOriginById: (id: string) => origins.push(id) }
  const context = createContext({ cf, event })
  const result: unknown = new Script(`${SOURCE.replace(IMPORT, "")}\nhandler(event)`).runInContext(context)
  const changed = changedSchema.parse(result)
  return { origins, headers: changed.headers, request: changed }
}

const originsOf = (viewed: ViewerRequest) => run(viewed).origins
const post = (headers: Record<string, string>): ViewerRequest => ({ method: "POST", headers })

describe("the CloudFront Function", () => {
  test("starts with the import of the runtime, imports nothing else, exports nothing, and has at most 10 KB", () => {
    expect(SOURCE.startsWith(`${IMPORT}\n`)).toBe(true)
    expect(SOURCE.match(/\b(import|export|require)\b/g)).toEqual(["import"])
    expect(Buffer.byteLength(SOURCE)).toBeLessThan(10_240)
  })

  test("uses no syntax that CloudFront's runtime lacks: no classes, no ?. or ??, no spread", () => {
    expect(SOURCE).not.toMatch(/\bclass\b|\?\.|\?\?|\.\.\./)
  })

  test("sends the origin the viewer's host, address and target", () => {
    const { headers } = run({ uri: "/a%2Fb//c", query: "b=2&a=1&b=%41" })
    expect(headers[VIEWER_HOST_HEADER]).toEqual({ value: "a.app-1.relay.example.com" })
    expect(headers[VIEWER_IP_HEADER]).toEqual({ value: "203.0.113.9" })
    expect(headers[VIEWER_TARGET_HEADER]).toEqual({ value: "/a%2Fb//c?b=2&a=1&b=%41" })
  })

  test("distinguishes an empty query from none", () => {
    expect(run({ uri: "/x", query: "" }).headers[VIEWER_TARGET_HEADER]).toEqual({ value: "/x?" })
    expect(run({ uri: "/x" }).headers[VIEWER_TARGET_HEADER]).toEqual({ value: "/x" })
  })

  test("replaces a caller's headers of these names", () => {
    const forged = {
      [VIEWER_HOST_HEADER]: "other",
      [VIEWER_IP_HEADER]: "10.0.0.1",
      [VIEWER_TARGET_HEADER]: "/other",
    }
    expect(run({ headers: forged }).headers).toMatchObject({
      [VIEWER_HOST_HEADER]: { value: "a.app-1.relay.example.com" },
      [VIEWER_IP_HEADER]: { value: "203.0.113.9" },
      [VIEWER_TARGET_HEADER]: { value: "/" },
    })
  })

  test("does not change method, path and other headers", () => {
    const { request, headers } = run({
      method: "PATCH",
      uri: "/p",
      headers: { "content-length": "2", "x-own": "1" },
    })
    expect([request.method, request.uri]).toEqual(["PATCH", "/p"])
    expect(headers).toMatchObject({ "content-length": { value: "2" }, "x-own": { value: "1" } })
  })
})

describe("a request goes to the Lambda", () => {
  test.each([
    ["without a body", {}],
    ["with a small body", post({ "content-length": "2", "content-type": "application/json" })],
    ["with a body of 4 MiB", post({ "content-length": String(MIB_4) })],
    ["with an empty body", post({ "content-length": "0" })],
    ["to delete, without a length", { method: "DELETE" }],
    [
      "of a type that only looks like a form",
      post({ "content-length": "2", "content-type": "x-multipart/form-data" }),
    ],
  ])("%s", (_name, viewed) => {
    expect(originsOf(viewed)).toEqual([])
  })
})

describe("a request goes to the container", () => {
  test.each([
    ["with a body of more than 4 MiB", post({ "content-length": String(MIB_4 + 1) })],
    ["with a length of more digits than a number has", post({ "content-length": "9".repeat(400) })],
    ["with a length that is none", post({ "content-length": "0x10" })],
    ["with a negative length", post({ "content-length": "-1" })],
    ["in chunks", post({ "transfer-encoding": "chunked" })],
    ["in chunks, whatever its method", { headers: { "transfer-encoding": "chunked" } }],
    ["of a method with a body, without a length", post({})],
    [
      "of a form with files, however small",
      post({ "content-length": "2", "content-type": "multipart/form-data; boundary=a" }),
    ],
    [
      "of such a form in capitals",
      post({ "content-length": "2", "content-type": " Multipart/Form-Data; boundary=a" }),
    ],
  ])("%s", (_name, viewed) => {
    expect(originsOf(viewed)).toEqual(["container"])
  })
})
