import * as z from "zod"
import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject } from "zod-openapi"
import {
  type BodyDeclaration,
  type DocumentFormat,
  type Endpoint,
  MEDIA_TYPES,
  type ReplyDeclaration,
} from "./endpoint.ts"
import { type ErrorCode, PROBLEM_CONTENT_TYPE, PROBLEMS } from "./errors.ts"

const problemSchema = z
  .object({
    code: z.enum(Object.keys(PROBLEMS)).describe("What went wrong, for programs"),
    title: z.string(),
    detail: z.string().describe("What went wrong, for people"),
    status: z.int(),
    fields: z
      .array(z.object({ pointer: z.string().describe("JSON Pointer into the request"), reason: z.string() }))
      .optional(),
  })
  .meta({ id: "Problem" })

/** What every endpoint may answer, and what those may that ask for credentials. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  "too-many-requests",
  "internal-server-error",
  "service-unavailable",
]
const CREDENTIAL_ERRORS: readonly ErrorCode[] = ["unauthorized", "forbidden"]
const BODY_ERRORS: readonly ErrorCode[] = ["invalid-request", "payload-too-large", "unsupported-media-type"]

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
    components: {
      securitySchemes: {
        "api-key": { type: "http", scheme: "basic", description: "App id as user name, API key as password" },
        "api-key-header": { type: "apiKey", in: "header", name: "Api-Key", description: "The API key alone" },
        "team-key": {
          type: "http",
          scheme: "basic",
          description: "Team id as user name, team key as password",
        },
        "team-key-header": {
          type: "apiKey",
          in: "header",
          name: "Api-Key",
          description: "The team key alone",
        },
      },
    },
  })
}

function operation(endpoint: Endpoint<never>): ZodOpenApiOperationObject {
  const { id, tag, summary, description, auth, request, status, reply, replyHeaders = {}, errors } = endpoint
  const { path, headers, body } = request
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: describeScopes(endpoint, description),
    security: auth.flatMap(({ name }) => [{ [name]: [] }, { [`${name}-header`]: [] }]),
    requestParams: {
      ...(path instanceof z.ZodObject && { path }),
      ...(headers instanceof z.ZodObject && { header: headers }),
    },
    ...(body.kind !== "none" && { requestBody: { required: true, ...content(body) } }),
    responses: {
      [status]: {
        description: reply.description,
        ...content(reply),
        headers: z.object(
          Object.fromEntries(
            Object.entries(replyHeaders).map(([name, text]) => [name, z.string().describe(text)]),
          ),
        ),
      },
      ...problems([
        ...errors,
        ...COMMON_ERRORS,
        ...(auth.length > 0 ? CREDENTIAL_ERRORS : []),
        ...(body.kind === "none" ? [] : BODY_ERRORS),
      ]),
    },
  }
}

function describeScopes({ auth }: Endpoint<never>, description: string): string {
  const scopes = auth.flatMap(({ scope }) => (scope === null ? [] : [`\`${scope}\``]))
  return scopes.length === 0 ? description : `${description}\n\nScope: ${scopes.join(", ")}.`
}

function content(body: Exclude<BodyDeclaration, { kind: "none" }> | ReplyDeclaration) {
  if (body.kind === "object") return { content: { [MEDIA_TYPES.json]: { schema: body.schema } } }
  const formats = body.formats.map((format) => [MEDIA_TYPES[format], { schema: DOCUMENT_SCHEMAS[format] }])
  return { description: body.description, content: Object.fromEntries(formats) }
}

/** One response a status, telling the codes that share it. */
function problems(codes: readonly ErrorCode[]) {
  const byStatus = Object.groupBy([...new Set(codes)], (code) => String(PROBLEMS[code].status))
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
