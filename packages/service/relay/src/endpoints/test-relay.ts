import { apiKey, endpoint } from "@sealway/http"
import { InvalidRequestError, PROBLEMS } from "@sealway/kernel"
import { USE_GRANTS } from "@sealway/policies"
import { RelayError, SELECTION_TYPES } from "@sealway/relay-engine"
import * as z from "zod"
import type { RelayDependencies } from "../dependencies.ts"
import { routeProblems } from "../management/check-routes.ts"
import { MAX_RELAY_BYTES, relaySettingsShape } from "../management/relay-input.ts"
import { requireRelay } from "../records/require-relay.ts"
import { MAX_SAMPLE_CHARACTERS, sampleRequestSchema, sampleResponseSchema } from "../trial/sample.ts"
import { TRIAL_WARNINGS } from "../trial/trial-warnings.ts"
import { type MessageTrial, showBody } from "../trial/try-message.ts"
import { type RelayTrial, tryRelay } from "../trial/try-relay.ts"
import { relayPathSchema } from "./relay-schema.ts"

/** Both bodies with each character escaped at its longest, and routes. */
const MAX_BYTES = 2 * 6 * MAX_SAMPLE_CHARACTERS + MAX_RELAY_BYTES

const requestSchema = z.strictObject({
  routes: relaySettingsShape.routes.optional().describe("Routes to try instead of the saved ones"),
  request: sampleRequestSchema,
  response: sampleResponseSchema.nullable().default(null),
})

const problemSchema = z
  .object({ code: z.string(), title: z.string(), detail: z.string(), status: z.int() })
  .nullable()
  .describe("The error that the relay would return; null when it would pass the message on")

const messageSchema = z.object({
  error: problemSchema,
  selections: z
    .array(
      z.object({
        action: z.enum(["encrypt", "decrypt"]),
        type: z.enum(SELECTION_TYPES),
        selector: z.string(),
        matched: z.int().describe("Number of values that the selection matches"),
        changed: z.int().describe("Number of those values that would change"),
        paths: z.array(z.string()).describe("Paths of the first 20 values in the body"),
      }),
    )
    .describe("Selections of the matching routes"),
  leaks: z.array(z.string()).describe("Paths of likely card numbers that no selection covers"),
  path: z
    .string()
    .nullable()
    .describe(
      "Path and query as they would be passed on; null for a response, and when the message would be refused",
    ),
  headers: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .describe(
      "Headers as they would be passed on, except those for framing; empty when the message would be refused",
    ),
  body: z
    .string()
    .nullable()
    .describe("Body as it would be passed on; `(decrypted)` replaces values that would be decrypted"),
  encoding: z.enum(["utf-8", "base64"]),
  bodyChanged: z.boolean(),
})

const replySchema = z
  .object({
    error: problemSchema,
    routes: z
      .array(z.object({ method: z.string().nullable(), path: z.string(), matched: z.boolean() }))
      .describe("All routes, and whether they match the request"),
    request: messageSchema.nullable(),
    response: messageSchema.nullable().describe("Null when the request had no sample response"),
    warnings: z
      .array(
        z.object({
          code: z.enum(TRIAL_WARNINGS),
          direction: z.enum(["request", "response"]),
          selector: z.string().nullable(),
          detail: z.string(),
        }),
      )
      .describe("Likely mistakes, such as a selection that matches nothing"),
  })
  .meta({ id: "RelayTrial" })

export const testRelay = endpoint({
  id: "test-relay",
  method: "POST",
  path: "/relays/{relay_id}/test",
  tag: "Relays",
  summary: "Try a relay's routes on a sample",
  description:
    "Runs a sample request, and a sample response, through the same engine as live traffic, without sending anything. Returns which routes match, what each selection matches, what would be encrypted, and likely mistakes. Nothing is decrypted: tokens are counted, and policies are not evaluated. Use `routes` to try routes before you save them.",
  auth: [apiKey("relay:test")],
  reveals: "nothing",
  request: { path: relayPathSchema, body: { kind: "object", schema: requestSchema, maxBytes: MAX_BYTES } },
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "What the relay would do" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/keys", "kms:Decrypt/public", ...USE_GRANTS],
  async answer(
    { principal: { app }, path, body, allowance, task },
    dependencies: Pick<RelayDependencies, "configTable" | "keyring" | "dataRoles" | "audit" | "wallClock">,
  ) {
    const saved = await requireRelay(dependencies, app, path.relay_id)
    const relay = { ...saved, routes: body.routes ?? saved.routes }
    const fields = routeProblems(relay.routes)
    if (fields.length > 0) throw new InvalidRequestError("The routes are invalid.", { fields })
    return { body: showTrial(await tryRelay(dependencies, app, relay, body, { task, allowance })) }
  },
})

type ShownReply = z.infer<typeof replySchema>

function showTrial({ refusal, routes, request, response, warnings }: RelayTrial): ShownReply {
  return {
    error: refusal && showProblem(refusal),
    routes: routes.map(({ route: { method, path }, isMatched }) => ({ method, path, matched: isMatched })),
    request: request && showMessage(request),
    response: response && showMessage(response),
    warnings: [...warnings],
  }
}

function showMessage({ outcome, selections, leaks }: MessageTrial): NonNullable<ShownReply["request"]> {
  const passed = outcome instanceof RelayError ? null : outcome
  return {
    error: outcome instanceof RelayError ? showProblem(outcome) : null,
    selections: selections.map(({ action, type, selector, matched, changed, paths }) => ({
      action,
      type,
      selector,
      matched,
      changed,
      paths: [...paths],
    })),
    leaks: [...leaks],
    path: passed?.target ?? null,
    headers: [...(passed?.headers ?? [])],
    ...showBody(passed?.body ?? null),
    bodyChanged: passed?.isBodyChanged ?? false,
  }
}

function showProblem({ code, message }: RelayError): NonNullable<ShownReply["error"]> {
  const { relay: status, title } = PROBLEMS[code]
  return { code, title, detail: message, status }
}
