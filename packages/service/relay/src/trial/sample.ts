import type { Message } from "@sealway/relay-engine"
import * as z from "zod"

/** The maximum size of a sample's body in the request: text, or bytes in base64. */
export const MAX_SAMPLE_CHARACTERS = 256 * 1024
const MAX_HEADERS = 100
const MAX_HEADER_CHARACTERS = 8_192

const headersSchema = z
  .record(
    z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/, "Not a valid header name"),
    z
      .string()
      .max(MAX_HEADER_CHARACTERS)
      .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "A header's value must be Latin-1, without control characters"),
  )
  .refine(
    (headers) => Object.keys(headers).length <= MAX_HEADERS,
    `At most ${MAX_HEADERS} headers are allowed`,
  )
  .default({})

const bodyShape = {
  headers: headersSchema.describe("By name. `Content-Type` determines how the body is parsed"),
  body: z.string().max(MAX_SAMPLE_CHARACTERS).nullable().default(null).describe("Null: none"),
  encoding: z.enum(["utf-8", "base64"]).default("utf-8").describe("`base64` for a compressed or binary body"),
}

interface EncodedBody {
  readonly body: string | null
  readonly encoding: "utf-8" | "base64"
}

function isEncoded({ body, encoding }: EncodedBody): boolean {
  return body === null || encoding === "utf-8" || z.base64().safeParse(body).success
}

const NOT_BASE64 = { path: ["body"], message: "Not valid base64" }

export const sampleRequestSchema = z
  .strictObject({
    method: z
      .string()
      .regex(/^[A-Z]{1,20}$/, "A method must be in upper case")
      .default("POST"),
    path: z
      .string()
      .max(8_192)
      .regex(/^[\x21-\x7e]+$/, "A path must be ASCII, without white space")
      .default("/")
      .describe("Path with its query, as it would be sent"),
    ...bodyShape,
  })
  .refine(isEncoded, NOT_BASE64)

export const sampleResponseSchema = z
  .strictObject({ status: z.int().min(200).max(599).default(200), ...bodyShape })
  .refine(isEncoded, NOT_BASE64)

export type SampleRequest = z.infer<typeof sampleRequestSchema>
export type SampleResponse = z.infer<typeof sampleResponseSchema>

/** Builds the message of a sample. */
export function messageOf(
  sample: SampleRequest | SampleResponse,
): Message & { readonly body: Buffer | null } {
  const { headers, body, encoding } = sample
  const bytes = body === null ? null : Buffer.from(body, encoding === "base64" ? "base64" : "utf8")
  return {
    ...("path" in sample
      ? { direction: "request", method: sample.method, target: sample.path, status: null }
      : { direction: "response", method: null, target: null, status: sample.status }),
    rawHeaders: Object.entries(headers).flat(),
    body: bytes,
    contentLength: bytes?.length ?? null,
  }
}
