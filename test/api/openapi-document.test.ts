import { createConfig, lintFromString } from "@redocly/openapi-core"
import { writeOpenApiDocument } from "@sealway/api"
import { RANDOM_DRAWS } from "@sealway/ports"
import { NAMED_EVENTS } from "@sealway/records/event-types"
import { sampleData } from "@sealway/webhooks/testing"
import spectralCore, { type RulesetDefinition } from "@stoplight/spectral-core"
import spectralRulesets from "@stoplight/spectral-rulesets"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import * as fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { arbitraryOf } from "../support/arbitrary-of-schema.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()

/** Operations for browsers, which lead to another page and never answer 2xx. */
const REDIRECTS = ["start-oidc-sign-in", "finish-oidc-sign-in"]

const contentSchema = z.record(
  z.string(),
  z.object({ schema: z.unknown().optional(), example: z.unknown().optional() }),
)
const operationSchema = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z
    .array(
      z.object({
        in: z.string(),
        name: z.string(),
        required: z.boolean().default(false),
        schema: z.unknown().optional(),
      }),
    )
    .default([]),
  requestBody: z.object({ content: contentSchema }).optional(),
  responses: z.record(
    z.string(),
    z.object({ headers: z.record(z.string(), z.unknown()).default({}), content: contentSchema.default({}) }),
  ),
})
const documentSchema = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ version: z.string(), "x-product-version": z.string() }),
  servers: z.array(z.object({ url: z.string() })),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  webhooks: z.record(
    z.string(),
    z.object({
      post: z.object({
        requestBody: z.object({
          content: z.object({ "application/json": z.object({ schema: z.object({ $ref: z.string() }) }) }),
        }),
      }),
    }),
  ),
  components: z.object({
    schemas: z.record(z.string(), z.unknown()),
    securitySchemes: z.record(z.string(), z.unknown()),
  }),
})

const text = writeOpenApiDocument()
const openapi: z.infer<typeof documentSchema> = documentSchema.parse(JSON.parse(text))

type Operation = z.infer<typeof operationSchema> & { readonly method: string; readonly path: string }
const OPERATIONS = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): Operation => ({ ...operation, method, path })),
)

describe("the OpenAPI document", () => {
  test("has the specification's version beside the product's, and the service's own address", () => {
    expect(openapi).toMatchObject({
      openapi: "3.1.1",
      info: { version: "0.0.1", "x-product-version": expect.stringMatching(/^\d+\.\d+\.\d+$/) },
      servers: [{ url: "/" }],
    })
  })

  test("names the ways to authenticate as the specification does, beside those of team, session and enclave", () => {
    expect(Object.keys(openapi.components.securitySchemes).sort()).toEqual([
      "ApiKey",
      "Attestation",
      "ClientSideToken",
      "Session",
      "TeamKey",
      "TokenAuth",
    ])
  })

  test("passes Redocly's recommended rules without a warning", async () => {
    const config = await createConfig({ extends: ["recommended"] })
    const problems = await lintFromString({ source: text, config })
    expect(problems.filter(({ ruleId }) => ruleId !== "operation-2xx-response")).toEqual([])
    const withoutSuccess = OPERATIONS.filter(({ responses }) =>
      Object.keys(responses).every((status) => status > "299"),
    )
    expect(withoutSuccess.map(({ operationId }) => operationId)).toEqual(REDIRECTS)
  })

  test("passes Spectral's recommended rules without a warning", async () => {
    const spectral = new spectralCore.Spectral()
    spectral.setRuleset({
      extends: [[spectralRulesets.oas as RulesetDefinition, "recommended"]],
      // Spectral knows scopes of OAuth only. OpenAPI 3.1 has them for every scheme (section 4.8.30).
      // It reads patterns without Unicode's classes; Redocly compares examples with their schemas.
      rules: { "oas3-operation-security-defined": "off", "oas3-valid-media-example": "off" },
    })
    expect(await spectral.run(JSON.parse(text))).toEqual([])
  })

  test("lists Location where it is sent, and nowhere else", () => {
    const locations = OPERATIONS.flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, { headers }]) =>
        "location" in headers ? [`${operationId} ${status}`] : [],
      ),
    )
    expect(locations).toEqual([
      ...REDIRECTS.map((id) => `${id} 303`),
      "run-function 202",
      "run-bare-payload 202",
    ])
  })

  test("says what is left of a key's limits with every answer that is served or refused for them", () => {
    const TOLD = ["ratelimit", "ratelimit-policy"]
    const ofKeys = OPERATIONS.filter(({ security }) =>
      security.some((each) => "ApiKey" in each || "TeamKey" in each),
    )
    expect(ofKeys.length).toBeGreaterThan(100)
    for (const { operationId, responses } of ofKeys) {
      const refused = Object.keys(responses["429"]?.headers ?? {})
      expect([operationId, refused]).toEqual([operationId, ["retry-after", ...TOLD]])
      for (const [status, { headers }] of Object.entries(responses).filter(([each]) => each < "300"))
        expect([operationId, status, Object.keys(headers)]).toEqual([
          operationId,
          status,
          expect.arrayContaining(TOLD),
        ])
    }
    const others = OPERATIONS.filter((each) => !ofKeys.includes(each))
    expect(others.flatMap(({ responses }) => Object.keys(responses["429"]?.headers ?? {}))).not.toContain(
      TOLD[0],
    )
  })

  test("describes every event that webhook endpoints receive, as it is sent", () => {
    expect(Object.keys(openapi.webhooks).sort()).toEqual([...NAMED_EVENTS].sort())
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(JSON.parse(text), "document")
    for (const type of NAMED_EVENTS) {
      const { test: _, ...data } = { test: true, ...sampleData(type, service.sandbox.app, RANDOM_DRAWS, 1) }
      const { schema } = openapi.webhooks[type]?.post.requestBody.content["application/json"] ?? {}
      const isValid = ajv.getSchema(`document${schema?.$ref}`)
      expect([type, isValid?.({ id: "webhook_event_1", type, data }), isValid?.errors]).toEqual([
        type,
        true,
        null,
      ])
      expect([type, isValid?.({ id: "webhook_event_1", type, data: {} })]).toEqual([type, false])
    }
  })

  test("has an example of each body that is JSON", () => {
    const lacking = OPERATIONS.flatMap(({ operationId, requestBody, responses }) => {
      const [success] = Object.entries(responses).filter(([status]) => status < "300")
      const bodies = { request: requestBody?.content, reply: success?.[1].content }
      return Object.entries(bodies).flatMap(([name, content]) => {
        const json = content?.["application/json"]
        return json === undefined || json.example !== undefined ? [] : [`${operationId} ${name}`]
      })
    })
    expect(lacking, "npm run generate:examples writes them from the requests of tests").toEqual([])
  })

  test("gives the largest page of every list except that of log lines", () => {
    const limits = OPERATIONS.filter(({ operationId }) => operationId !== "list-function-logs").flatMap(
      ({ parameters }) => parameters.filter(({ name }) => name === "limit"),
    )
    expect(limits.length).toBeGreaterThan(10)
    for (const { schema } of limits) {
      expect(schema).toMatchObject({ type: "integer", minimum: 1, maximum: 100, default: 10 })
    }
  })
})

describe("a request made from the OpenAPI document", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(openapi, "document")
  const validators = new Map<string, ValidateFunction>()
  const validatorOf = (reference: string) => {
    const validate = validators.get(reference) ?? ajv.compile({ $ref: reference })
    validators.set(reference, validate)
    return validate
  }
  const pointerToken = (name: string) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))
  /** Existing ids, by the name of their parameter. */
  const known = new Map<string, string>()

  const idSchema = z.object({ id: z.string() })
  const make = async (path: string, body: unknown) => {
    const answer = await service.post(path, body)
    return idSchema.parse(answer.json).id
  }
  beforeAll(async () => {
    const other = await service.newApp("sandbox")
    known.set("team_id", service.team.id)
    // Requests may disable this one.
    known.set("app_id", other.app.id)
    known.set("role_id", await make("/data-roles", { slug: "known", name: "Known" }))
    const policy = { name: "Known", effect: "permit", roles: ["known"], conditions: {} }
    known.set("policy_id", await make("/data-policies", policy))
    const endpoint = { url: "https://hooks.example", events: ["audit-log.event"] }
    known.set("webhook_endpoint_id", await make("/webhook-endpoints", endpoint))
    const relay = await make("/relays", { destinationDomain: "known.example" })
    known.set("relay_id", relay)
    known.set(
      "custom_domain_id",
      await make(`/relays/${relay}/custom-domains`, { domain: "known.customer.example" }),
    )
    const alert = { type: "webhook", url: "https://hooks.example" }
    known.set("alert_id", await make(`/relays/${relay}/alerts`, alert))
  })

  const resolve = (reference: string): unknown =>
    openapi.components.schemas[reference.split("/").at(-1) ?? ""]

  /** Draws what a request may look like: its path with the query, its headers and its body. */
  function requestsOf({ path, method, parameters, requestBody }: Operation) {
    const placed = (place: string) => parameters.filter((each) => each.in === place)
    const recordOf = (place: string) => {
      const values = placed(place).map(({ name, schema }): [string, fc.Arbitrary<unknown>] => {
        const made = arbitraryOf(schema, resolve)
        const there = known.get(name)
        // A deleted thing would be missing in the next request.
        return [name, there === undefined || method === "delete" ? made : fc.oneof(fc.constant(there), made)]
      })
      return fc.record(Object.fromEntries(values), {
        requiredKeys: placed(place).flatMap(({ name, required }) => (required ? [name] : [])),
      })
    }
    const bodies = Object.entries(requestBody?.content ?? {}).map(([contentType, { schema }]) =>
      contentType === "application/json"
        ? arbitraryOf(schema, resolve).map((value) => ({ contentType, body: JSON.stringify(value) }))
        : fc.uint8Array({ maxLength: 100 }).map((body) => ({ contentType, body })),
    )
    return fc.record({
      path: recordOf("path").map((values) =>
        path.replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => encodeURIComponent(String(values[name]))),
      ),
      query: recordOf("query").map((values) =>
        new URLSearchParams(
          Object.entries(values).map(([name, value]): [string, string] => [name, String(value)]),
        ).toString(),
      ),
      headers: recordOf("header").map((values) =>
        Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asHeader(String(value))])),
      ),
      sent: bodies.length === 0 ? fc.constant(null) : fc.oneof(...bodies),
    })
  }

  const asHeader = (value: string) => value.replaceAll(/[^\x21-\x7e]/g, "x")

  test.each(OPERATIONS)("gets an answer that the document describes: $operationId", async (operation) => {
    const { operationId, method, security, responses } = operation
    const auth = security.some((each) => "TeamKey" in each) ? { auth: service.team.auth } : {}
    await fc.assert(
      fc.asyncProperty(requestsOf(operation), async ({ path, query, headers, sent }) => {
        const url = query === "" ? path : `${path}?${query}`
        const options: CallOptions = { ...auth, headers, ...(sent && { contentType: sent.contentType }) }
        const answer = await service.call(method.toUpperCase(), url, sent?.body, options)
        expect(answer.status, answer.text).toBeLessThan(500)
        const declared = responses[answer.status]
        expect(Object.keys(responses), answer.text).toContain(String(answer.status))
        const [contentType = ""] = (answer.headers.get("content-type") ?? "").split(";")
        const contentTypes = Object.keys(declared?.content ?? {})
        if (contentTypes.length === 0) {
          expect(answer.text).toBe("")
          return
        }
        expect(contentTypes).toContain(contentType)
        for (const name of Object.keys(declared?.headers ?? {})) {
          expect([...answer.headers.keys()]).toContain(name)
        }
        if (answer.json === undefined) return
        const place = [
          "paths",
          operation.path,
          method,
          "responses",
          String(answer.status),
          "content",
          contentType,
        ]
        const reference = `document#/${[...place, "schema"].map(pointerToken).join("/")}`
        const validate = validatorOf(reference)
        const isFit = validate(answer.json)
        expect(isFit, `${operationId}: ${ajv.errorsText(validate.errors)} in ${answer.text}`).toBe(true)
      }),
      { numRuns: 12 },
    )
  })
})
