import type { ApiErrorCode } from "@sealway/kernel"
import type { RecordOf } from "@sealway/ports"
import type * as z from "zod"
import {
  type EndpointDeclaration,
  type EndpointRequest,
  endpoint,
  type ReplyDeclaration,
} from "./endpoint.ts"

type NoHeaders = z.ZodType<object>

/** What endpoints that do nothing special still differ in. */
interface PlainDeclaration<Dependencies, Principal, Path extends z.ZodType, Query extends z.ZodType>
  extends Pick<
    EndpointDeclaration<Dependencies, Principal, Path, Query, NoHeaders, undefined, ReplyDeclaration>,
    "id" | "path" | "tag" | "summary" | "description" | "auth" | "grants"
  > {
  readonly request?: { readonly path?: Path; readonly query?: Query }
  /** What the answer is, for the OpenAPI document. */
  readonly reply: string
  /** Default: what the request can be refused with, see each kind of endpoint. */
  readonly errors?: readonly ApiErrorCode[]
}

type PlainRequest<Principal, Path extends z.ZodType, Query extends z.ZodType> = EndpointRequest<
  Principal,
  z.infer<Path>,
  z.infer<Query>,
  object,
  null
>

/**
 * Declares an endpoint that gets or lists what reveals nothing of customers' plaintext. Its errors are `not-found` if it
 * names something in its path, and `invalid-request` if it has a query.
 */
/* @__NO_SIDE_EFFECTS__ */
export function readingEndpoint<
  Dependencies,
  Principal,
  Path extends z.ZodType,
  Query extends z.ZodType,
  Schema extends z.ZodType<object>,
>({
  schema,
  reply: description,
  read,
  ...declaration
}: PlainDeclaration<Dependencies, Principal, Path, Query> & {
  /** Of the answer's body. */
  readonly schema: Schema
  /** Returns the answer's body. */
  read(
    request: PlainRequest<Principal, Path, Query>,
    dependencies: Dependencies,
  ): RecordOf<Schema> | Promise<RecordOf<Schema>>
}) {
  const { request = {} } = declaration
  const errors: ApiErrorCode[] = []
  if (request.path !== undefined) errors.push("not-found")
  if (request.query !== undefined) errors.push("invalid-request")
  return endpoint({
    errors,
    ...declaration,
    method: "GET",
    reveals: "nothing",
    status: 200,
    reply: { kind: "object", schema, description },
    answer: async (received, dependencies: Dependencies) => ({ body: await read(received, dependencies) }),
  })
}

/**
 * Declares an endpoint that deletes what its path names, and answers without a body. Its errors are `not-found` and
 * `conflict`.
 */
/* @__NO_SIDE_EFFECTS__ */
export function deletingEndpoint<Dependencies, Principal, Path extends z.ZodType, Query extends z.ZodType>({
  reply: description,
  remove,
  ...declaration
}: PlainDeclaration<Dependencies, Principal, Path, Query> & {
  remove(request: PlainRequest<Principal, Path, Query>, dependencies: Dependencies): Promise<void>
}) {
  return endpoint({
    errors: ["not-found", "conflict"],
    ...declaration,
    method: "DELETE",
    reveals: "nothing",
    writes: true,
    status: 204,
    reply: { kind: "none", description },
    async answer(received, dependencies: Dependencies) {
      await remove(received, dependencies)
      return { body: null }
    },
  })
}
