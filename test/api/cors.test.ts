import { CORS, ENDPOINTS } from "@sealway/api"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { useService } from "../support/service.ts"

const service = useService()
const BROWSER_CREDENTIALS: readonly string[] = ["client-side-token", "run-token"]

describe("a page in a browser", () => {
  test("may send every header that is read by what its tokens can call", () => {
    const callable = Object.values(ENDPOINTS)
      .flat()
      .filter(({ auth }) => auth.some(({ name }) => BROWSER_CREDENTIALS.includes(name)))
    expect(callable.length).toBeGreaterThan(2)
    const allowed: readonly string[] = CORS.allowHeaders
    for (const { id, request } of callable) {
      const read = request.headers instanceof z.ZodObject ? Object.keys(request.headers.shape) : []
      expect({ id, missing: read.filter((name) => !allowed.includes(name)) }).toEqual({ id, missing: [] })
    }
  })

  test("may run a function later by a run token", async () => {
    const answer = await service.call("OPTIONS", "/run/example", undefined, {
      auth: null,
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-async",
      },
    })
    expect(answer.headers.get("access-control-allow-headers")).toContain("x-async")
  })
})
