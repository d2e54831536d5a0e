import { createApiKey } from "@sealway/accounts"
import { describe, expect, test } from "vitest"
import { expectProblem } from "../support/problem.ts"
import { basic, useService } from "../support/service.ts"

const service = useService()
const encrypt = (headers: Record<string, string>) => service.post("/encrypt", '"x"', { auth: null, headers })

describe("authentication", () => {
  test("accepts Basic with app id and key, in any case of the scheme's name, and the key alone", async () => {
    const { auth } = service.sandbox
    expect((await encrypt({ authorization: basic(auth) })).status).toBe(200)
    expect((await encrypt({ authorization: basic(auth).replace("Basic", "bAsIc") })).status).toBe(200)
    expect((await encrypt({ "api-key": auth.key })).status).toBe(200)
    expect((await encrypt({ authorization: basic({ user: "", key: auth.key }) })).status).toBe(200)
  })

  test("gives the same unauthorized answer, with WWW-Authenticate, to everything invalid", async () => {
    const { auth } = service.sandbox
    const attempts: Record<string, string>[] = [
      {},
      { authorization: "" },
      { authorization: "Basic" },
      { authorization: "Basic !!!" },
      { authorization: basic({ user: "", key: "" }) },
      { authorization: basic({ user: auth.user, key: "" }) },
      { authorization: basic({ user: auth.user, key: "wrong" }) },
      { authorization: basic({ user: auth.user, key: createApiKey("sandbox") }) },
      { authorization: basic({ user: service.production.app.id, key: auth.key }) },
      { authorization: basic({ user: service.team.id, key: auth.key }) },
      { authorization: basic({ user: auth.user, key: auth.key.toLowerCase() }) },
      { authorization: basic({ user: auth.user, key: `${auth.key}\n` }) },
      { authorization: `Bearer ${auth.key}` },
      { "api-key": "" },
      { "api-key": auth.key.slice(0, -1) },
      { "api-key": "__proto__" },
      { "api-key": auth.key, authorization: basic({ user: auth.user, key: "wrong" }) },
    ]
    const answers = await Promise.all(attempts.map(encrypt))
    for (const answer of answers) {
      expectProblem(answer, "unauthorized")
      expect(answer.headers.get("www-authenticate")).toMatch(/^Basic realm="sealway"/)
    }
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  test("answers forbidden to a team key where an app's key is required", async () => {
    expectProblem(await encrypt({ authorization: basic(service.team.auth) }), "forbidden")
  })

  test("lets a key without scopes do only what requires none", async () => {
    const auth = await service.newKey(service.sandbox.app, [])
    expect((await service.post("/encrypt", '"x"', { auth })).status).toBe(200)
    for (const path of ["/decrypt", "/rewrap"])
      expectProblem(await service.post(path, '"x"', { auth }), "forbidden")
    for (const path of ["/fingerprint", "/inspect"]) {
      expectProblem(await service.post(path, { token: "x" }, { auth }), "forbidden")
    }
  })

  test("checks the credentials before it reads the body", async () => {
    const answer = await service.post("/encrypt", "{not json", { auth: null })
    expectProblem(answer, "unauthorized")
  })
})
