import { type Allowance, type Caller, REVEALS, type Reveals } from "@sealway/accounts"
import type { ApiError, ApiErrorCode, Task } from "@sealway/kernel"
import type { SubjectLock } from "@sealway/keys"
import type { Grant, RecordOf } from "@sealway/ports"
import type * as z from "zod"
import type { Effect } from "../once/idempotency.ts"
import type { AuthScheme } from "./authentication.ts"
import type { RequestTiming } from "./request-timing.ts"

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/**
 * The format of a document body: JSON of any shape, JSON Lines, the bytes of a file, a page for a browser, or a script,
 * compressed.
 */
export type DocumentFormat = "json" | "lines" | "bytes" | "page" | "script"

/** The media type that browsers send for a submitted form. */
export const FORM_MEDIA_TYPE = "application/x-www-form-urlencoded"

export const MEDIA_TYPES: Readonly<Record<DocumentFormat, string>> = {
  json: "application/json",
  lines: "application/x-ndjson",
  bytes: "application/octet-stream",
  page: "text/html; charset=utf-8",
  script: "text/javascript; charset=utf-8",
}

/** A body that is data rather than parameters: it is passed on as the bytes that arrived. */
export interface Document {
  readonly format: DocumentFormat
  readonly bytes: Buffer
}

/** Data, in and out as bytes. */
interface DocumentDeclaration {
  readonly kind: "document"
  readonly formats: readonly DocumentFormat[]
  readonly description: string
  /** Whether JSON may be as large as the token of the largest value. Default: as large as a document to encrypt. */
  readonly holdsTokens?: true
  /** The shape that the endpoint's function itself checks, for the OpenAPI document. Default: JSON of any shape. */
  readonly schema?: z.ZodType
}

export type BodyDeclaration =
  | DocumentDeclaration
  | {
      readonly kind: "object"
      readonly schema: z.ZodType<object>
      readonly maxBytes: number
      /** Whether an empty body, of any content type, counts as `{}`. Default: it is refused. */
      readonly mayBeEmpty?: true
    }
  | {
      /** A form of a page. Each field occurs once; the schema receives strings. */
      readonly kind: "form"
      readonly schema: z.ZodType<object>
      readonly maxBytes: number
    }

type BodyOf<Body extends BodyDeclaration | undefined> = Body extends { kind: "document" }
  ? Document
  : Body extends { kind: "object" | "form"; schema: z.ZodType<infer Value> }
    ? Value
    : null

/** `none`: the answer has no body. */
export type ReplyDeclaration =
  | { readonly kind: "none"; readonly description: string }
  | DocumentDeclaration
  | { readonly kind: "object"; readonly schema: z.ZodType<object>; readonly description: string }

/** Response headers that an answer always has besides the usual ones: lower-case name to description. */
export type ReplyHeaders = Readonly<Record<string, string>>

type ReplyBodyOf<Reply extends ReplyDeclaration> = Reply extends {
  kind: "object"
  schema: infer Schema extends z.ZodType
}
  ? RecordOf<Schema>
  : Reply extends { kind: "none" }
    ? null
    : Document

/** What an endpoint's function receives: everything parsed, the sender identified. */
export interface EndpointRequest<Principal, Path, Query, Headers, Body> {
  readonly principal: Principal
  /** The sender, for the audit log and policies. */
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
  /** Where the browsers of members reach the API: `https://dashboard.example.com/api`. Its origin is that of their pages. */
  readonly browserUrl: string
  /** Each `name=value`. */
  readonly cookies: readonly string[]
  readonly timing: Pick<RequestTiming, "measure">
  /** What the sender's limits leave to the request. */
  readonly allowance: Allowance
  /**
   * Runs what takes long, and reserves memory for what takes more of it than the body: ends when the client leaves. For
   * bodies that the platform parses, it has reserved the memory.
   */
  readonly task: Task
}

/** A request that is refused with 403. Its sender is known; its body may not have been read. */
export interface ForbiddenRequest<Principal> {
  readonly principal: Principal
  readonly caller: Caller
  /** The id of the endpoint that was called. */
  readonly endpointId: string
}

export interface EndpointReply<Body> {
  readonly body: Body
  /**
   * 202 for work accepted for later, if the endpoint declares `accepted`; 200 for something that already existed, if it
   * declares `found`. Default: the endpoint's status.
   */
  readonly status?: 200 | 202
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[]
}

/** The parts of a request that an endpoint's function receives, parsed. */
export interface RequestDeclaration<
  Path extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Headers extends z.ZodType<object> = z.ZodType<object>,
  Body extends BodyDeclaration | undefined = BodyDeclaration | undefined,
> {
  /** All fields are strings, as those of `query` and `headers`. */
  readonly path?: Path
  readonly query?: Query
  /** Lower-case names. */
  readonly headers?: Headers
  readonly body?: Body
}

/**
 * An endpoint, declared once. The handler, the local gateway, the OpenAPI document and the deployment read it.
 * `Dependencies` is what its function needs, without what the platform itself needs.
 */
export interface EndpointDeclaration<
  Dependencies,
  Principal,
  Path extends z.ZodType,
  Query extends z.ZodType,
  Headers extends z.ZodType<object>,
  Body extends BodyDeclaration | undefined,
  Reply extends ReplyDeclaration,
> {
  /** The name of the operation in the OpenAPI document, of the function in the cloud, and in logs. */
  readonly id: string
  readonly method: HttpMethod
  /** In the syntax of API Gateway and OpenAPI: `/apps/{app_id}/keys`. */
  readonly path: string
  /** Other paths for the same endpoint, for clients that use them. Not in the OpenAPI document. */
  readonly aliases?: readonly string[]
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Ways to authenticate, in the order they are tried. Empty: no authentication. */
  readonly auth: readonly AuthScheme<Principal>[]
  /**
   * What its answers can show of customers' plaintext. Decides which members' sessions get them, and whether they may be
   * cached and are in the access log; see `REVEALS`.
   */
  readonly reveals: Reveals
  /**
   * Set when the endpoint changes something: its requests may be repeated safely with an `Idempotency-Key`. A
   * repetition after a crash completes the rest and answers as the first request would have, as long as everything that
   * the endpoint changes and creates goes through its dependencies; see `OnceRequest`. `once`: for effects outside the
   * service. A repetition is refused with `idempotency-result-unknown` when the first request may have taken effect and
   * left no answer; see `Effect`. `again`: for what destroys secrets, of which no copy may be kept for a repetition. A
   * repetition sees what the first attempt has changed, so that the endpoint itself must complete the rest.
   */
  readonly writes?: true | "once" | "again"
  /**
   * Fields of the answer that must not be stored, even sealed: the answer to a repeated request lacks them. `all`: the
   * answer is not stored, and a repeated request is refused with `idempotency-result-unknown`; only with `writes:
   * "once"`. Default: all are stored.
   */
  readonly unkept?: readonly string[] | "all"
  /** What is not declared is ignored. */
  readonly request: RequestDeclaration<Path, Query, Headers, Body>
  /** 303 leads a browser to the `location` of the answer's headers. */
  readonly status: 200 | 201 | 202 | 204 | 303
  readonly reply: Reply
  /** The second answer, with status 202, of an endpoint that does some work immediately and other work later. */
  readonly accepted?: {
    readonly schema: z.ZodType<object>
    readonly description: string
    readonly headers?: ReplyHeaders
  }
  /**
   * The second answer, with status 200 and the same body, of an endpoint that creates a thing only if it does not
   * exist.
   */
  readonly found?: { readonly description: string }
  readonly replyHeaders?: ReplyHeaders
  /** Codes in addition to those that every endpoint can answer with. */
  readonly errors: readonly ApiErrorCode[]
  /** What its function needs in addition to the platform's own grants, see `grantsOf`. */
  readonly grants: readonly Grant[]
  answer(
    request: EndpointRequest<Principal, z.infer<Path>, z.infer<Query>, z.infer<Headers>, BodyOf<Body>>,
    dependencies: Dependencies,
    effect: Effect,
  ): Promise<EndpointReply<ReplyBodyOf<Reply>>> | EndpointReply<ReplyBodyOf<Reply>>
  /**
   * Called before a stored answer is sent again, after the credentials and their scope are checked as for any request.
   * Throws when anything else that decides on the answer, such as a data policy, no longer permits it. Required when an
   * answer contains decrypted data. Gets and returns what was given to `Effect.lockAnswer`: how values were masked, and
   * the lock.
   */
  authorizeReplay?(
    request: EndpointRequest<Principal, z.infer<Path>, z.infer<Query>, z.infer<Headers>, BodyOf<Body>>,
    dependencies: Dependencies,
    maskedAs: string | null,
  ): Promise<SubjectLock | null>
  /** Called before a 403 is sent to an identified sender. If it throws, its error is sent instead. */
  onForbidden?(
    request: ForbiddenRequest<NoInfer<Principal>>,
    error: ApiError,
    dependencies: Dependencies,
  ): Promise<void>
}

/** Any endpoint whose function accepts `Dependencies`. */
export type Endpoint<Dependencies> = EndpointDeclaration<
  Dependencies,
  unknown,
  z.ZodType,
  z.ZodType,
  z.ZodType<object>,
  BodyDeclaration | undefined,
  ReplyDeclaration
>

/** True when an endpoint writes access records to the log, from where they are moved to the table. */
export function writesAccessRecords({ reveals }: Pick<Endpoint<never>, "reveals">): boolean {
  return REVEALS[reveals].isDecryption
}

/**
 * Declares an endpoint. The types of what its function receives follow from the declaration.
 *
 * @param declaration `request` may be left out when the function needs nothing of it
 */
export function endpoint<
  Dependencies,
  Principal,
  Path extends z.ZodType,
  Query extends z.ZodType,
  Headers extends z.ZodType<object>,
  const Reply extends ReplyDeclaration,
  const Body extends BodyDeclaration | undefined = undefined,
>(
  declaration: Omit<
    EndpointDeclaration<Dependencies, Principal, Path, Query, Headers, Body, Reply>,
    "request"
  > & { readonly request?: RequestDeclaration<Path, Query, Headers, Body> },
): EndpointDeclaration<Dependencies, Principal, Path, Query, Headers, Body, Reply> {
  return { request: {}, ...declaration }
}
