import { API_ERROR_CODES, type ApiErrorCode, PROBLEM_CONTENT_TYPE, PROBLEMS } from "@sealway/kernel"
import * as z from "zod"
import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject } from "zod-openapi"
import type { AuthScheme } from "./authentication.ts"
import {
  type BodyDeclaration,
  type DocumentFormat,
  type Endpoint,
  MEDIA_TYPES,
  type ReplyDeclaration,
} from "./endpoint.ts"

const problemSchema = z
  .object({
    code: z.enum(API_ERROR_CODES).describe("What went wrong, for programs"),
    title: z.string(),
    detail: z.string().describe("What went wrong, for people"),
    status: z.int(),
    fields: z
      .array(z.object({ pointer: z.string().describe("JSON Pointer into the request"), reason: z.string() }))
      .optional(),
  })
  .meta({ id: "Problem" })

/** What every endpoint may answer, and what those may that ask for credentials. */
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
      "Makes the request safe to repeat: the same key within 24 hours, from the same credentials, gets the first answer again.",
    ),
})

const BASIC = (user: string, password: string) =>
  ({ type: "http", scheme: "basic", description: `${user} as user name, ${password} as password` }) as const
const API_KEY_HEADER = (key: string) =>
  ({ type: "apiKey", in: "header", name: "Api-Key", description: `${key} alone` }) as const

const SECURITY_SCHEMES = {
  "api-key": BASIC("App id", "API key"),
  "api-key-header": API_KEY_HEADER("The API key"),
  "team-key": BASIC("Team id", "team key"),
  "team-key-header": API_KEY_HEADER("The team key"),
  "client-side-token": {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "`Token <client-side token>`; `Bearer` is taken too",
  },
  "run-token": {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "`RunToken <run token>`",
  },
} as const satisfies NonNullable<ZodOpenApiObject["components"]>["securitySchemes"]

/** The ways in which credentials of a scheme can be sent. */
const CARRIERS: Readonly<Record<AuthScheme<unknown>["name"], readonly (keyof typeof SECURITY_SCHEMES)[]>> = {
  "api-key": ["api-key", "api-key-header"],
  "team-key": ["team-key", "team-key-header"],
  "client-side-token": ["client-side-token"],
  "run-token": ["run-token"],
}

/** Of a body that is anything. */
const DOCUMENT_SCHEMAS: Readonly<Record<DocumentFormat, z.ZodType>> = {
  json: z.unknown().meta({ description: "JSON of any shape" }),
  bytes: z.string().meta({ format: "binary", description: "The bytes of a file" }),
}

/** The OpenAPI 3.1 document of endpoints, from the same declarations that their handlers run on. */
export function createOpenApiDocument(endpoints: readonly Endpoint<never>[], version: string): object {
  const paths: NonNullable<ZodOpenApiObject["paths"]> = {}
  for (const each of endpoints) {
    paths[each.path] = { ...paths[each.path], [each.method.toLowerCase()]: operation(each) }
  }
  return createDocument({
    openapi: "3.1.1",
    info: {
      title: "Sealway",
      version,
      description:
        "Encrypts and decrypts sensitive values, and controls where and when they may be decrypted.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: { securitySchemes: SECURITY_SCHEMES },
  })
}

function operation(endpoint: Endpoint<never>): ZodOpenApiOperationObject {
  const { id, tag, summary, description, auth, writes, request, status, reply, accepted } = endpoint
  const { path, query, headers, body } = request
  const replyHeaders = z.object(
    Object.fromEntries(
      Object.entries(endpoint.replyHeaders ?? {}).map(([name, text]) => [name, z.string().describe(text)]),
    ),
  )
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: describeScopes(endpoint, description),
    security: auth.flatMap(({ name }) => CARRIERS[name].map((carrier) => ({ [carrier]: [] }))),
    requestParams: {
      ...(path instanceof z.ZodObject && { path }),
      ...(query instanceof z.ZodObject && { query }),
      ...(headers instanceof z.ZodObject && {
        header: writes ? headers.extend(idempotencyHeader.shape) : headers,
      }),
    },
    ...(body.kind !== "none" && { requestBody: { required: true, content: {}, ...content(body) } }),
    responses: {
      [status]: {
        description: reply.description,
        ...content(reply),
        headers: replyHeaders,
      },
      ...(accepted && {
        202: {
          description: accepted.description,
          ...content({ kind: "object", ...accepted }),
          headers: replyHeaders,
        },
      }),
      ...problems([
        ...endpoint.errors,
        ...COMMON_ERRORS,
        ...(auth.length > 0 ? CREDENTIAL_ERRORS : []),
        ...(body.kind === "none" ? [] : BODY_ERRORS),
        ...(writes ? WRITE_ERRORS : []),
        ...(writes === "once" ? ONCE_ERRORS : []),
      ]),
    },
  }
}

function describeScopes({ auth }: Endpoint<never>, description: string): string {
  const scopes = auth.flatMap(({ scope }) => (scope === null ? [] : [`\`${scope}\``]))
  return scopes.length === 0 ? description : `${description}\n\nScope: ${scopes.join(", ")}.`
}

function content(body: BodyDeclaration | ReplyDeclaration) {
  if (body.kind === "none") return {}
  if (body.kind === "object") return { content: { [MEDIA_TYPES.json]: { schema: body.schema } } }
  const formats = body.formats.map((format) => {
    const schema = (format === "json" && body.schema) || DOCUMENT_SCHEMAS[format]
    return [MEDIA_TYPES[format], { schema }]
  })
  return { description: body.description, content: Object.fromEntries(formats) }
}

/** One response a status, telling the codes that share it. */
function problems(codes: readonly ApiErrorCode[]) {
  const byStatus = Object.groupBy([...new Set(codes)], (code) => String(PROBLEMS[code].api))
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, shared = []]) => [
      status,
      {
        description: shared.map((code) => `\`${code}\``).join(", "),
        content: { [PROBLEM_CONTENT_TYPE]: { schema: problemSchema } },
      },
    ]),
  )
}
