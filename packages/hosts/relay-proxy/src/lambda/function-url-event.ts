import * as z from "zod"
import type { InboundRequest } from "../exchange.ts"

/** Not with `z.record`, which drops a header named `__proto__`. */
const headersSchema = z.custom<Readonly<Record<string, string>>>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((text) => typeof text === "string"),
)

/**
 * The fields of a function URL's event that are read. Source: AWS Lambda's guide, "Request and response payloads" of
 * function URLs (2.0).
 */
const eventSchema = z.object({
  version: z.literal("2.0"),
  rawPath: z.string().startsWith("/"),
  rawQueryString: z.string(),
  headers: headersSchema,
  cookies: z.array(z.string()).default([]),
  requestContext: z.object({
    domainName: z.string(),
    http: z.object({ method: z.string(), sourceIp: z.string() }),
  }),
  body: z.string().optional(),
  isBase64Encoded: z.boolean().default(false),
})

/** A request from a function URL. Header names are in lower case, and equal ones are joined by commas. */
export type FunctionUrlEvent = z.infer<typeof eventSchema>

/** @throws ZodError when it is not an event of a function URL */
export function parseFunctionUrlEvent(event: unknown): FunctionUrlEvent {
  return eventSchema.parse(event)
}

/** Converts a request of a function URL for relays. Its host is the function URL's own, see `behindCloudFront`. */
export function inboundRequestOf(
  event: FunctionUrlEvent,
  { id, signal }: Pick<InboundRequest, "id" | "signal">,
): InboundRequest {
  const { rawPath, rawQueryString, requestContext } = event
  const body = bodyOf(event)
  return {
    id,
    signal,
    mode: "reverse",
    method: requestContext.http.method,
    target: rawQueryString === "" ? rawPath : `${rawPath}?${rawQueryString}`,
    scheme: "https",
    host: requestContext.domainName.toLowerCase(),
    port: null,
    rawHeaders: rawHeadersOf(event),
    body,
    contentLength: body?.length ?? null,
    refusal: null,
    trailers: () => [],
    ip: requestContext.http.sourceIp,
    credentials: null,
  }
}

function bodyOf({ body, isBase64Encoded }: FunctionUrlEvent): Buffer | null {
  if (body === undefined || body === "") return null
  return Buffer.from(body, isBase64Encoded ? "base64" : "utf8")
}

function rawHeadersOf({ headers, cookies }: FunctionUrlEvent): string[] {
  const raw = Object.entries(headers).flat()
  const isThere = Object.keys(headers).some((name) => name.toLowerCase() === "cookie")
  return cookies.length === 0 || isThere ? raw : [...raw, "cookie", cookies.join("; ")]
}
