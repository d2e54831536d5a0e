import { InvalidRequestError, PROBLEMS } from "@sealway/kernel"
import { apiKey, endpoint } from "@sealway/platform"
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
  routes: relaySettingsShape.routes.optional().describe("Routes to try in the place of those that are saved"),
  request: sampleRequestSchema,
  response: sampleResponseSchema.nullable().default(null),
})

const problemSchema = z
  .object({ code: z.string(), title: z.string(), detail: z.string(), status: z.int() })
  .nullable()
  .describe("What the relay would answer by itself; null when it would pass the message on")

const messageSchema = z.object({
  error: problemSchema,
  selections: z
    .array(
      z.object({
        action: z.enum(["encrypt", "decrypt"]),
        type: z.enum(SELECTION_TYPES),
        selector: z.string(),
        matched: z.int().describe("Values that the selection selects"),
        changed: z.int().describe("Those of them that would become others"),
        paths: z.array(z.string()).describe("Where they are in the body: the first 20"),
      }),
    )
    .describe("Of the routes that match"),
  leaks: z.array(z.string()).describe("Paths of what looks like card numbers that no selection selects"),
  path: z
    .string()
    .nullable()
    .describe(
      "Path and query as they would be passed on; null for an answer, and when the message would be refused",
    ),
  headers: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .describe("As they would be passed on, framing aside; empty when the message would be refused"),
  body: z
    .string()
    .nullable()
    .describe("As it would be passed on; `(decrypted)` stands for what would be decrypted"),
  encoding: z.enum(["utf-8", "base64"]),
  bodyChanged: z.boolean(),
})

const replySchema = z
  .object({
    error: problemSchema,
    routes: z
      .array(z.object({ method: z.string().nullable(), path: z.string(), matched: z.boolean() }))
      .describe("All of them, and whether they are for the request"),
    request: messageSchema.nullable(),
    response: messageSchema.nullable().describe("Null when no response was given"),
    warnings: z
      .array(
        z.object({
          code: z.enum(TRIAL_WARNINGS),
          direction: z.enum(["request", "response"]),
          selector: z.string().nullable(),
          detail: z.string(),
        }),
      )
      .describe("What is likely to be a mistake, such as a selection that selects nothing"),
  })
  .meta({ id: "RelayTrial" })

export const testRelay = endpoint({
  id: "test-relay",
  method: "POST",
  path: "/relays/{relay_id}/test",
  tag: "Relays",
  summary: "Try a relay's routes on a sample",
  description:
    "Puts a request, and a response, through the same engine that live ones go through, and sends nothing anywhere: tells which routes match, what each selection selects, what would be encrypted, and what is likely to be a mistake. Nothing is decrypted: tokens are counted, policies are not asked. `routes` tries other routes before they are saved.",
  auth: [apiKey("relay:test")],
  request: {
    path: relayPathSchema,
    headers: z.object({}),
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "What the relay would do" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", "kms:Decrypt", ...USE_GRANTS],
  async answer(
    { principal: { app }, path, body },
    dependencies: Pick<RelayDependencies, "configTable" | "keyring" | "dataRoles" | "audit" | "wallClock">,
  ) {
    const saved = await requireRelay(dependencies, app, path.relay_id)
    const relay = { ...saved, routes: body.routes ?? saved.routes }
    const fields = routeProblems(relay.routes)
    if (fields.length > 0) throw new InvalidRequestError("The routes cannot be used.", { fields })
    return { body: showTrial(await tryRelay(dependencies, app, relay, body)) }
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
      ...{ action, type, selector, matched, changed },
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
