import { REVEALS, sessionNote, sessionRuleOf } from "@sealway/accounts"
import { API_ERROR_CODES, type ApiErrorCode, PROBLEM_CONTENT_TYPE, PROBLEMS } from "@sealway/kernel"
import * as z from "zod"
import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject } from "zod-openapi"
import type { AuthScheme } from "./authentication.ts"
import { withDiscriminators } from "./discriminators.ts"
import {
  type BodyDeclaration,
  type DocumentFormat,
  type Endpoint,
  FORM_MEDIA_TYPE,
  MEDIA_TYPES,
  type ReplyDeclaration,
  type ReplyHeaders,
} from "./endpoint.ts"

const problemSchema = z
  .object({
    code: z.enum(API_ERROR_CODES).describe("Stable code of the error, for programs"),
    title: z.string(),
    detail: z.string().describe("Description of the error, for people"),
    status: z.int(),
    fields: z
      .array(z.object({ pointer: z.string().describe("JSON Pointer into the request"), reason: z.string() }))
      .optional(),
  })
  .meta({ id: "Problem" })

/** The errors that every endpoint may answer with, and those of endpoints with authentication. */
const COMMON_ERRORS: readonly ApiErrorCode[] = [
  "too-many-requests",
  "internal-server-error",
  "service-unavailable",
]
const CREDENTIAL_ERRORS: readonly ApiErrorCode[] = ["unauthorized", "forbidden"]
const BODY_ERRORS: readonly ApiErrorCode[] = [
  "invalid-request",
  "payload-too-large",
  "unsupported-media-type",
]

const WRITE_ERRORS: readonly ApiErrorCode[] = ["invalid-request", "conflict", "idempotency-key-reused"]
const ONCE_ERRORS: readonly ApiErrorCode[] = ["idempotency-result-unknown"]

const idempotencyHeader = z.object({
  "idempotency-key": z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      "Makes the request safe to retry: the same key, sent with the same credentials within 24 hours, returns the first response again.",
    ),
})

/** What is left of the limits of an API key. Members' sessions and tokens are not told. */
const LIMIT_HEADERS = {
  ratelimit: z
    .string()
    .optional()
    .meta({
      description:
        'What is left, and in how many seconds all of it is back: `"requests";r=19980;t=1, "values";r=2400000;t=1`',
      header: { id: "RateLimit" },
    }),
  "ratelimit-policy": z
    .string()
    .optional()
    .meta({
      description:
        'The limits of the API key for a time in seconds: `"requests";q=20000;w=10, "values";q=2500000;w=10;qu="values"`',
      header: { id: "RateLimitPolicy" },
    }),
}
const RETRY_AFTER = z
  .string()
  .meta({ description: "In how many seconds the request would be let through", header: { id: "RetryAfter" } })

const SECURITY_SCHEMES = {
  ApiKey: {
    type: "http",
    scheme: "basic",
    description:
      "The app's id as user name and its API key as password, or just the header `Api-Key: <API key>`",
  },
  TeamKey: {
    type: "http",
    scheme: "basic",
    description:
      "The team's id as user name and a team key as password, or just the header `Api-Key: <team key>`",
  },
  ClientSideToken: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "`Token <client-side token>`; `Bearer` works too",
  },
  TokenAuth: { type: "apiKey", in: "header", name: "Authorization", description: "`RunToken <run token>`" },
  Attestation: {
    type: "apiKey",
    in: "header",
    name: "X-Service-App-Id",
    description: "The app's id; the credential is the attestation in the body",
  },
  Session: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-sealway_session",
    description:
      "A member's session; what it permits depends on the member's role. Changes need the header `X-Requested-With: sealway` and the `Origin` of the service's own pages; endpoints of an app need the app's id in the header `X-Service-App-Id`. On plain HTTP on this machine, the cookie's name has no `__Host-`",
  },
} as const satisfies NonNullable<ZodOpenApiObject["components"]>["securitySchemes"]

/** The names of the authentication schemes in the document. */
const SCHEME_NAMES: Readonly<Record<AuthScheme<unknown>["name"], keyof typeof SECURITY_SCHEMES>> = {
  "api-key": "ApiKey",
  "team-key": "TeamKey",
  "client-side-token": "ClientSideToken",
  "run-token": "TokenAuth",
  enclave: "Attestation",
  session: "Session",
}

/** The schemas of bodies of any content. */
const DOCUMENT_SCHEMAS: Readonly<Record<DocumentFormat, z.ZodType>> = {
  json: z.unknown().meta({ description: "JSON of any shape" }),
  lines: z.string().meta({ description: "JSON documents, one per line" }),
  bytes: z.string().meta({ format: "binary", description: "The bytes of a file" }),
  page: z.string().meta({ description: "An HTML page" }),
  script: z.string().meta({ description: "JavaScript" }),
}

/** The version of the API description, from the specification. */
const DOCUMENT_VERSION = "0.0.1"

/** Information about the document beyond its endpoints' declarations. */
export interface DocumentContext {
  /** The version of the product, shown in `info.x-product-version`. */
  readonly productVersion: string
  /** The groups of endpoints, in the order of the document. */
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** The data of each event that webhook endpoints receive, by its type. */
  readonly events: Readonly<Record<string, z.ZodType>>
  /** Examples of bodies, by the id of an endpoint. */
  readonly examples: Readonly<Record<string, OperationExample>>
}

/** Bodies as JSON. Absent where an operation has none. */
export interface OperationExample {
  readonly request?: unknown
  readonly reply?: unknown
}

/** Builds the OpenAPI 3.1 document of endpoints, from the same declarations that their handlers run on. */
export function createOpenApiDocument(
  endpoints: readonly Endpoint<never>[],
  { productVersion, tags, events, examples }: DocumentContext,
): object {
  const paths: NonNullable<ZodOpenApiObject["paths"]> = {}
  for (const each of endpoints) {
    paths[each.path] = {
      ...paths[each.path],
      [each.method.toLowerCase()]: operation(each, examples[each.id]),
    }
  }
  const document = createDocument({
    openapi: "3.1.1",
    info: {
      title: "Sealway",
      version: DOCUMENT_VERSION,
      "x-product-version": productVersion,
      description:
        "Encrypts and decrypts sensitive values, and controls where and when they may be decrypted. Every path that supports GET supports HEAD too. A method that a path does not support returns 405 `method-not-allowed` with `Allow`; an unknown path returns 404 `not-found`.",
      contact: { name: "Sealway" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The service that serves this document" }],
    tags: tags.map((tag) => ({ ...tag })),
    paths,
    webhooks: Object.fromEntries(Object.keys(events).map((type) => [type, { post: webhook(type) }])),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      responses: Object.fromEntries(
        Object.entries(events).map(([type, data]) => [eventName(type), eventContent(type, data)]),
      ),
    },
  })
  // Only responses have the schemas of what the service writes, and no operation answers with an event.
  const { responses: _, schemas = {}, ...components } = document.components ?? {}
  return { ...document, components: { schemas: withDiscriminators(schemas), ...components } }
}

/** The name of an event's schema: `payments.3ds-session.success` is a `Payments3dsSessionSuccessEvent`. */
function eventName(type: string): string {
  const words = type.split(/[.-]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return words.at(-1) === "Event" ? words.join("") : `${words.join("")}Event`
}

function eventContent(type: string, data: z.ZodType) {
  const schema = z
    .object({ id: z.string().describe("The same in each attempt"), type: z.literal(type), data })
    .meta({ id: eventName(type) })
  return { description: type, content: { [MEDIA_TYPES.json]: { schema } } }
}

const SIGNATURE_HEADERS = z.object({
  "webhook-id": z.string().describe("The event's id"),
  "webhook-timestamp": z.string().describe("Epoch seconds of the attempt"),
  "webhook-signature": z.string().describe("As in Standard Webhooks, by the endpoint's secrets"),
})

/** The request that a webhook endpoint receives. Its schema is a component, so that clients get a type for it. */
function webhook(type: string): ZodOpenApiOperationObject {
  return {
    operationId: `on-${type.replaceAll(".", "-")}`,
    tags: ["Webhooks"],
    summary: `The event ${type}`,
    description: `Sent to webhook endpoints that subscribe to \`${type}\`.`,
    security: [],
    requestParams: { header: SIGNATURE_HEADERS },
    requestBody: {
      required: true,
      content: { [MEDIA_TYPES.json]: { schema: { $ref: `#/components/schemas/${eventName(type)}` } } },
    },
    responses: {
      204: { description: "Any 2xx accepts the event" },
      410: { description: "Disables the endpoint. Any other status, and no answer, are tried again" },
    },
  }
}

function operation(endpoint: Endpoint<never>, example: OperationExample = {}): ZodOpenApiOperationObject {
  const { id, tag, summary, description, auth, writes, request, status, reply, accepted, found } = endpoint
  const { path, query, headers, body } = request
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, noteOf(endpoint)].filter((part) => part !== null).join(" "),
    security: securityOf(endpoint),
    requestParams: {
      ...(path instanceof z.ZodObject && { path }),
      ...(query instanceof z.ZodObject && { query }),
      ...headersOf(headers, writes !== undefined),
    },
    ...(body && { requestBody: { required: true, content: {}, ...content(body, example.request) } }),
    responses: {
      [status]: {
        description: reply.description,
        ...content(reply, example.reply),
        headers: headersSchema(endpoint, endpoint.replyHeaders),
      },
      ...(found && {
        200: {
          description: found.description,
          ...content(reply, example.reply),
          headers: headersSchema(endpoint),
        },
      }),
      ...(accepted && {
        202: {
          description: accepted.description,
          ...content({ kind: "object", ...accepted }),
          headers: headersSchema(endpoint, accepted.headers),
        },
      }),
      ...problems(endpoint, [
        ...endpoint.errors,
        ...COMMON_ERRORS,
        ...(auth.length > 0 ? CREDENTIAL_ERRORS : []),
        ...(path || query || headers ? (["invalid-request"] as const) : []),
        ...(body ? BODY_ERRORS : []),
        ...(writes ? WRITE_ERRORS : []),
        ...(writes === "once" ? ONCE_ERRORS : []),
      ]),
    },
  }
}

/** Returns what readers must know of what an endpoint reveals; null for nothing. */
function noteOf({ auth, reveals }: Endpoint<never>): string | null {
  const isForMembers = auth.some(({ forMember }) => forMember !== undefined)
  return isForMembers ? sessionNote(reveals) : REVEALS[reveals].note
}

function securityOf({ auth, reveals }: Endpoint<never>) {
  const schemes = auth.map(({ name, scope }) => ({ [SCHEME_NAMES[name]]: scope === null ? [] : [scope] }))
  const isForMembers = auth.some(
    ({ name, scope, forMember }) =>
      forMember !== undefined && name !== "session" && (scope === null || sessionRuleOf(scope) !== "never"),
  )
  return isForMembers && REVEALS[reveals].sessions !== "never"
    ? [...schemes, { [SCHEME_NAMES.session]: [] }]
    : schemes
}

function headersOf(headers: z.ZodType | undefined, isWriting: boolean) {
  const declared = headers instanceof z.ZodObject ? headers : null
  if (!isWriting) return declared && { header: declared }
  return { header: declared?.extend(idempotencyHeader.shape) ?? idempotencyHeader }
}

function headersSchema(endpoint: Endpoint<never>, headers: ReplyHeaders = {}): z.ZodObject {
  const own = Object.entries(headers).map(([name, text]) => [name, z.string().describe(text)])
  return z.object({ ...Object.fromEntries(own), ...limitHeadersOf(endpoint) })
}

function limitHeadersOf({ auth }: Endpoint<never>) {
  return auth.some(({ name }) => name === "api-key" || name === "team-key") ? LIMIT_HEADERS : {}
}

function content(body: BodyDeclaration | ReplyDeclaration, example?: unknown) {
  if (body.kind === "none") return {}
  const shown = example === undefined ? {} : { example }
  if (body.kind === "object") return { content: { [MEDIA_TYPES.json]: { schema: body.schema, ...shown } } }
  if (body.kind === "form") return { content: { [FORM_MEDIA_TYPE]: { schema: body.schema } } }
  const formats = body.formats.map((format) => {
    const schema = (format === "json" && body.schema) || DOCUMENT_SCHEMAS[format]
    return [MEDIA_TYPES[format].split(";")[0], { schema, ...(format === "json" && shown) }]
  })
  return { description: body.description, content: Object.fromEntries(formats) }
}

/** Returns one response per status, listing the codes that share it. */
function problems(endpoint: Endpoint<never>, codes: readonly ApiErrorCode[]) {
  const byStatus = Object.groupBy([...new Set(codes)], (code) => String(PROBLEMS[code].api))
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, shared = []]) => [
      status,
      {
        description: shared.map((code) => `\`${code}\``).join(", "),
        content: { [PROBLEM_CONTENT_TYPE]: { schema: problemSchema } },
        ...(status === String(PROBLEMS["too-many-requests"].api) && {
          headers: z.object({ "retry-after": RETRY_AFTER, ...limitHeadersOf(endpoint) }),
        }),
      },
    ]),
  )
}
