import { requireJson } from "../requests/json-arguments.ts"
import { JsonText } from "../requests/json-text.ts"
import { pathSegment } from "../requests/path-segment.ts"
import { requestIdOf } from "../requests/read-answer.ts"
import type { ApiRequest, CallOptions, RequestBody, Transport } from "../requests/transport.ts"
import { type Answered, Call } from "./call.ts"
import { Pages } from "./pages.ts"

/** What the generated code says about an operation. */
export interface Definition {
  readonly method: string
  /** With `{parameters}`. */
  readonly path: string
  readonly query?: readonly string[]
  /** The headers of inputs, by the inputs' names. */
  readonly headers?: Readonly<Record<string, string>>
  /** The content types that it takes. */
  readonly body?: readonly string[]
  readonly takesIdempotencyKey?: boolean
  readonly isRepeatable?: boolean
  /** Whether the answer is its bytes also if it is JSON. */
  readonly wantsBytes?: boolean
}

/** Any body may be JSON text instead. */
type Sendable<Input> = Input extends { readonly body: infer Body }
  ? Omit<Input, "body"> & { readonly body: Body | JsonText }
  : Input

/** The arguments of an operation: inputs that are all optional may be left out. */
type Arguments<Input> =
  Record<never, never> extends Input
    ? [input?: Input, options?: CallOptions]
    : [input: Input, options?: CallOptions]

/** Calls one operation of the API. */
export type Operation<Input, Answer> = (
  transport: Transport,
  ...args: Arguments<Sendable<Input>>
) => Call<Answer>

/** Lists what an operation of the API lists, over all its pages. */
export type ListOperation<Input, Item> = (transport: Transport, ...args: Arguments<Input>) => Pages<Item>

/** A page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[]
}

/** Creates the function of an operation. The answer's type is the document's: the service is trusted to keep to it. */
export function operation<Input extends object, Answer>(definition: Definition): Operation<Input, Answer> {
  return (transport, ...[input, options]) =>
    new Call(send<Answer>(transport, definition, { ...input }, options))
}

async function send<Answer>(
  transport: Transport,
  definition: Definition,
  inputs: Inputs,
  options: CallOptions | undefined,
): Promise<Answered<Answer>> {
  const { content, status, headers } = await transport.send(requestOf(definition, inputs), options)
  return { data: content as Answer, status, headers, requestId: requestIdOf(headers) }
}

/**
 * Creates the function of an operation that lists.
 *
 * @param cursor the query parameter that selects the next page
 */
export function listOperation<Input extends object, List extends Page<unknown>>(
  definition: Definition,
  cursor: "startingAfter" | "page",
): ListOperation<Input, List["data"][number]> {
  return (transport, ...[input, options]) => {
    const first: Inputs = { ...input }
    return new Pages(async (next) => {
      const inputs = next === null ? first : { ...first, [cursor]: next }
      return (await transport.send(requestOf(definition, inputs), options)).content
    })
  }
}

type Inputs = Readonly<Record<string, unknown>>

/** Binds operations to a transport, as methods of one object. */
export function bindOperations<Operations extends object>(
  operations: Operations,
  transport: Transport,
): BoundOperations<Operations> {
  const bound = Object.entries(operations).map(([name, call]) => [
    name,
    (...args: unknown[]) => call(transport, ...args),
  ])
  return Object.freeze(Object.fromEntries(bound))
}

export type BoundOperations<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (
    transport: Transport,
    ...args: infer Args
  ) => infer Answer
    ? (...args: Args) => Answer
    : never
}

function requestOf(definition: Definition, inputs: Inputs): ApiRequest {
  const {
    method,
    path,
    query = [],
    headers = {},
    body,
    takesIdempotencyKey,
    isRepeatable = false,
    wantsBytes,
  } = definition
  return {
    method,
    route: path,
    path: path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
      const name = camelCase(parameter)
      return pathSegment(name, Object.hasOwn(inputs, name) ? inputs[name] : undefined)
    }),
    query: textsOf(query.map((name) => [name, inputs[name]])),
    headers: textsOf(Object.entries(headers).map(([name, header]) => [header, inputs[name]])),
    body: body && encodeBody(body, inputs.body),
    ...(takesIdempotencyKey && { takesIdempotencyKey }),
    isRepeatable,
    ...(wantsBytes && { wantsBytes }),
  }
}

function textsOf(values: readonly (readonly [name: string, value: unknown])[]): Record<string, string> {
  const given = values.filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([name, value]) => {
      if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
        throw new TypeError(`${name} must be a text or a number.`)
      }
      return [name, String(value)]
    }),
  )
}

function encodeBody(contentTypes: readonly string[], body: unknown): RequestBody {
  const takes = (contentType: string) => contentTypes.includes(contentType)
  if (body instanceof JsonText) return { contentType: "application/json", content: body.content }
  if (takes("application/octet-stream") && (body instanceof Uint8Array || body instanceof Blob)) {
    const content = body instanceof Blob ? body : new Uint8Array(body)
    return { contentType: "application/octet-stream", content }
  }
  if (!takes("application/json") && typeof body === "string") {
    return { contentType: contentTypes[0] ?? "", content: body }
  }
  if (body !== null) requireJson("The body", body)
  const content = JSON.stringify(body)
  return { contentType: "application/json", content }
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
