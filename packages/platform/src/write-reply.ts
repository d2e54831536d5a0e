import { PayloadTooLargeError } from "@sealway/kernel"
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda"
import { MAX_REPLY_BYTES } from "./body-limits.ts"
import type { Hosting } from "./configuration.ts"
import { type Document, type EndpointReply, MEDIA_TYPES } from "./endpoint.ts"

/**
 * Turns an endpoint's reply into API Gateway's payload format 2.0: JSON as text, files in base64.
 *
 * @throws PayloadTooLargeError when the reply is more than the hosting can hand back
 */
export function writeReply(
  usualStatus: number,
  { body, headers, status }: EndpointReply<Document | object | null>,
  hosting: Hosting,
): APIGatewayProxyStructuredResultV2 {
  const statusCode = status ?? usualStatus
  if (body === null) return { statusCode, headers: { "cache-control": "no-store", ...headers } }
  const format = isDocument(body) ? body.format : "json"
  const isFile = format === "bytes"
  const text = isDocument(body) ? body.bytes.toString(isFile ? "base64" : "utf8") : JSON.stringify(body)
  if (isLongerThan(text, MAX_REPLY_BYTES[hosting])) {
    throw new PayloadTooLargeError(
      "The answer is larger than the 6 MB that can be returned behind API Gateway. Send less at a time.",
    )
  }
  return {
    statusCode,
    headers: {
      "content-type": MEDIA_TYPES[format],
      "cache-control": "no-store",
      ...headers,
    },
    body: text,
    isBase64Encoded: isFile,
  }
}

/** A character takes at most six bytes of JSON, `\u001f`, so that most texts need not be written to be measured. */
function isLongerThan(text: string, maxBytes: number): boolean {
  return text.length * 6 > maxBytes && Buffer.byteLength(JSON.stringify(text)) > maxBytes
}

function isDocument(body: Document | object): body is Document {
  return "bytes" in body && Buffer.isBuffer(body.bytes) && "format" in body
}
