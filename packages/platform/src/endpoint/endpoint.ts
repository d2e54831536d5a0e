import type { ApiError, ApiErrorCode } from "@sealway/kernel"
import type * as z from "zod"
import type { Caller } from "../accounts/caller.ts"
import type { Effect } from "../once/idempotency.ts"
import type { Grant } from "../stage/grants.ts"
import type { RecordOf } from "../tables/records.ts"
import type { AuthScheme } from "./authentication.ts"

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** What a document body is: JSON of any shape, JSON documents one a line, the bytes of a file, or a page for a browser. */
export type DocumentFormat = "json" | "lines" | "bytes" | "page"

/** What browsers send when a form of a page is submitted. */
export const FORM_MEDIA_TYPE = "application/x-www-form-urlencoded"

export const MEDIA_TYPES: Readonly<Record<DocumentFormat, string>> = {
  json: "application/json",
  lines: "application/x-ndjson",
  bytes: "application/octet-stream",
  page: "text/html; charset=utf-8",
}

/** A body that is somebody's data rather than parameters: it is handed on as the bytes that came. */
export interface Document {
  readonly format: DocumentFormat
  readonly bytes: Buffer
}

/** Somebody's data, in and out as bytes. */
interface DocumentDeclaration {
  readonly kind: "document"
  readonly formats: readonly DocumentFormat[]
  readonly description: string
  /** Whether JSON may be as large as the token of the largest value. Absent: as large as a document to be encrypted. */
  readonly holdsTokens?: true
  /** What JSON the endpoint's function makes sure of itself, for the OpenAPI document. Absent: JSON of any shape. */
  readonly schema?: z.ZodType
}

/** `none`: a body, if there is one, is not read. */
export type BodyDeclaration =
  | { readonly kind: "none" }
  | DocumentDeclaration
  | {
      readonly kind: "object"
      readonly schema: z.ZodType<object>
      readonly maxBytes: number
      /** Whether an empty body, of any content type, is read as `{}`. Absent: it is refused. */
      readonly mayBeEmpty?: true
    }
  | {
      /** A form of a page. Each field comes once; the schema is given texts. */
      readonly kind: "form"
      readonly schema: z.ZodType<object>
      readonly maxBytes: number
    }

type BodyOf<Body extends BodyDeclaration> = Body extends { kind: "document" }
  ? Document
  : Body extends { kind: "object" | "form"; schema: z.ZodType<infer Value> }
    ? Value
    : null

/** `none`: the answer has no body. */
export type ReplyDeclaration =
  | { readonly kind: "none"; readonly description: string }
  | DocumentDeclaration
  | { readonly kind: "object"; readonly schema: z.ZodType<object>; readonly description: string }

/** Response headers that an answer always has, beside the usual ones: lower-case name to description. */
export type ReplyHeaders = Readonly<Record<string, string>>

type ReplyBodyOf<Reply extends ReplyDeclaration> = Reply extends {
  kind: "object"
  schema: infer Schema extends z.ZodType
}
  ? RecordOf<Schema>
  : Reply extends { kind: "none" }
    ? null
    : Document

/** What an endpoint's function is given: everything parsed, everybody identified. */
export interface EndpointRequest<Principal, Path, Query, Headers, Body> {
  readonly principal: Principal
  /** Who sends the request, from where; for the audit log and for policies. */
  readonly caller: Caller
  readonly path: Path
  readonly query: Query
  readonly headers: Headers
  readonly body: Body
  /**
   * What browsers and card networks call the service by, as `URL.origin` spells it: the deployment's own origin, or where
   * the request reached the service.
   */
  readonly serviceOrigin: string
}

/** A request that is refused with a 403: its sender is known, what it asks for may not have been read. */
export interface ForbiddenRequest<Principal> {
  readonly principal: Principal
  readonly caller: Caller
}

export interface EndpointReply<Body> {
  readonly body: Body
  /**
   * 202 for what was accepted and is done later, where the endpoint declares `accepted`; 200 for what was there already,
   * where it declares `found`. Absent: the endpoint's status.
   */
  readonly status?: 200 | 202
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * An endpoint, declared once. The handler, the local gateway, the OpenAPI document and the deployment read it.
 * `Dependencies` is what its function needs; the platform's own needs are not among them.
 */
export interface EndpointDeclaration<
  Dependencies,
  Principal,
  Path extends z.ZodType,
  Query extends z.ZodType,
  Headers extends z.ZodType<object>,
  Body extends BodyDeclaration,
  Reply extends ReplyDeclaration,
> {
  /** Names the operation in the OpenAPI document, the function in the cloud and the entry in the logs. */
  readonly id: string
  readonly method: HttpMethod
  /** In API Gateway's syntax, as OpenAPI writes it too: `/apps/{app_id}/keys`. */
  readonly path: string
  /** Other paths that answer alike, for clients that know them by these. Not in the OpenAPI document. */
  readonly aliases?: readonly string[]
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Ways to authenticate, in the order they are tried. Empty: anybody may call. */
  readonly auth: readonly AuthScheme<Principal>[]
  /**
   * Set for what changes something: a request of it may be repeated safely, with an `Idempotency-Key`. A repetition after
   * a crash does what is missing and answers as the first request would have, as long as all that the endpoint changes and
   * makes goes through its dependencies; see `OnceRequest`. `once`: for effects outside the service. A repetition is refused
   * with `idempotency-result-unknown` when the first request may have taken effect and left no answer; see `Effect`.
   */
  readonly writes?: true | "once"
  /**
   * Members of its answer that nobody may keep, not even sealed: the answer to a repeated request lacks them. `all`: the
   * answer is not kept, and a repeated request is refused with `idempotency-result-unknown`; beside `writes: "once"` alone.
   * Absent: all are kept.
   */
  readonly unkept?: readonly string[] | "all"
  /** Set for what hands out decrypted values: it puts access records into the log, from where they are carried on. */
  readonly decrypts?: true
  readonly request: {
    readonly path: Path
    /** Of strings. Absent: query parameters are not looked at. */
    readonly query?: Query
    /** Lower-case names. */
    readonly headers: Headers
    readonly body: Body
  }
  readonly status: 200 | 201 | 202 | 204
  readonly reply: Reply
  /** The other answer of an endpoint that does some things at once and others later: its status is 202. */
  readonly accepted?: {
    readonly schema: z.ZodType<object>
    readonly description: string
    readonly headers?: ReplyHeaders
  }
  /** The other answer of an endpoint that makes a thing only where there is none: its status is 200, its body alike. */
  readonly found?: { readonly description: string }
  readonly replyHeaders?: ReplyHeaders
  /** Codes beyond those that every endpoint can answer. */
  readonly errors: readonly ApiErrorCode[]
  /** What its function needs beyond the platform's own needs, see `grantsOf`. */
  readonly grants: readonly Grant[]
  answer(
    request: EndpointRequest<Principal, z.infer<Path>, z.infer<Query>, z.infer<Headers>, BodyOf<Body>>,
    dependencies: Dependencies,
    effect: Effect,
  ): Promise<EndpointReply<ReplyBodyOf<Reply>>> | EndpointReply<ReplyBodyOf<Reply>>
  /**
   * Called before a kept answer is given again, with the credentials and their scope checked as for any request. Throws
   * when what else decides over the answer, such as a data policy, does not permit it any more. Needed where an
   * answer shows decrypted data.
   */
  authorizeReplay?(
    request: EndpointRequest<Principal, z.infer<Path>, z.infer<Query>, z.infer<Headers>, BodyOf<Body>>,
    dependencies: Dependencies,
  ): Promise<void>
  /** Called before a 403 goes out to somebody who is known. When it throws, its error is the answer instead. */
  onForbidden?(
    request: ForbiddenRequest<Principal>,
    error: ApiError,
    dependencies: Dependencies,
  ): Promise<void>
}

/** Any endpoint whose function can be given `Dependencies`. */
export type Endpoint<Dependencies> = EndpointDeclaration<
  Dependencies,
  unknown,
  z.ZodType,
  z.ZodType,
  z.ZodType<object>,
  BodyDeclaration,
  ReplyDeclaration
>

/** Declares an endpoint; the types of what its function is given follow from what it declares. */
export function endpoint<
  Dependencies,
  Principal,
  Path extends z.ZodType,
  Query extends z.ZodType,
  Headers extends z.ZodType<object>,
  const Body extends BodyDeclaration,
  const Reply extends ReplyDeclaration,
>(
  declaration: EndpointDeclaration<Dependencies, Principal, Path, Query, Headers, Body, Reply>,
): EndpointDeclaration<Dependencies, Principal, Path, Query, Headers, Body, Reply> {
  return declaration
}
