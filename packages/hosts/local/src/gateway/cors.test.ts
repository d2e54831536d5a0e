import { describe, expect, it } from "vitest"
import { answerPreflight, type CorsConfiguration, withCorsHeaders } from "./cors.ts"
import type { ProxyResponse } from "./proxy-result.ts"

const CORS: CorsConfiguration = {
  allowOrigins: ["https://www.example.com", "http://*"],
  allowMethods: ["GET", "POST"],
  allowHeaders: ["content-type", "Authorization"],
  exposeHeaders: ["x-debug", "date"],
  maxAgeSeconds: 300,
}
const OPEN: CorsConfiguration = {
  ...CORS,
  allowOrigins: ["*"],
  allowMethods: ["*"],
  allowHeaders: ["*"],
  exposeHeaders: [],
}

function preflight(fields: Record<string, string>, cors = CORS) {
  const request = { origin: "https://www.example.com", "access-control-request-method": "POST", ...fields }
  return Object.fromEntries(answerPreflight(cors, "OPTIONS", request)?.headers ?? [])
}

describe("a CORS preflight", () => {
  it("gets everything that is allowed when its request is", () => {
    expect(preflight({ "access-control-request-headers": "Content-Type, authorization" })).toEqual({
      "access-control-allow-origin": "https://www.example.com",
      "access-control-allow-methods": "GET,POST",
      "access-control-allow-headers": "content-type,Authorization",
      "access-control-max-age": "300",
      vary: "Origin",
    })
  })

  it("is answered with 204 and no body", () => {
    const request = { origin: "https://a.test", "access-control-request-method": "GET" }
    expect(answerPreflight(OPEN, "OPTIONS", request)).toMatchObject({ statusCode: 204, body: "" })
  })

  it("may ask for anything when everything is allowed", () => {
    expect(
      preflight({ "access-control-request-method": "PATCH", "access-control-request-headers": "x-a" }, OPEN),
    ).toEqual({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "*",
      "access-control-allow-headers": "*",
      "access-control-max-age": "300",
    })
  })

  it.each([
    ["origin", { origin: "https://www.example.com.evil.test" }],
    ["port", { origin: "https://www.example.com:8443" }],
    ["method", { "access-control-request-method": "DELETE" }],
    ["header", { "access-control-request-headers": "content-type,x-other" }],
  ])("gets no permission when its %s is not allowed", (_, fields) => {
    expect(preflight(fields)).toEqual({ vary: "Origin" })
  })

  it.each([
    ["POST", { origin: "https://a.test", "access-control-request-method": "GET" }],
    ["OPTIONS", { origin: "https://a.test" }],
    ["OPTIONS", { "access-control-request-method": "GET" }],
  ])("needs method OPTIONS, Origin and Access-Control-Request-Method: %s %j", (method, fields) => {
    expect(answerPreflight(OPEN, method, fields)).toBeNull()
  })
})

describe("a CORS response", () => {
  const response: ProxyResponse = {
    statusCode: 200,
    headers: new Map([
      ["content-type", "text/plain"],
      ["access-control-allow-origin", "https://from-the-handler.test"],
      ["access-control-allow-credentials", "true"],
      ["vary", "Accept"],
    ]),
    cookies: [],
    body: "",
  }

  it("has the configured CORS headers instead of the handler's", () => {
    expect(Object.fromEntries(withCorsHeaders(CORS, "http://localhost:5173", response).headers)).toEqual({
      "content-type": "text/plain",
      "access-control-allow-origin": "http://localhost:5173",
      "access-control-expose-headers": "x-debug,date",
      vary: "Accept,Origin",
    })
  })

  it.each([undefined, "https://evil.test", "null"])("has none for the disallowed origin %s", (origin) => {
    expect([...withCorsHeaders(CORS, origin, response).headers.keys()]).toEqual(["content-type", "vary"])
  })

  it("needs no Vary when every origin gets the same answer", () => {
    expect(Object.fromEntries(withCorsHeaders(OPEN, "https://a.test", response).headers)).toEqual({
      "content-type": "text/plain",
      "access-control-allow-origin": "*",
      vary: "Accept",
    })
  })
})
