import type { IncomingMessage } from "node:http"
import { equalInConstantTime } from "@sealway/kernel"
import { Sha256 } from "@smithy/core/checksum"
import { SignatureV4 } from "@smithy/signature-v4"
import { EMBEDDED_REGION, type EmbeddedCredentials } from "../credentials.ts"
import { S3Error } from "./s3-error.ts"

const HASH_PARAMETER = "X-Amz-Content-Sha256"
const SIGNATURE_PARAMETER = "X-Amz-Signature"
/** What the signer adds. */
const OWN_PARAMETERS = [
  "X-Amz-Algorithm",
  "X-Amz-Credential",
  "X-Amz-Date",
  "X-Amz-Expires",
  "X-Amz-SignedHeaders",
  SIGNATURE_PARAMETER,
]
const AMZ_DATE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/
const MAX_EXPIRY_SECONDS = 7 * 24 * 60 * 60

/**
 * Checks presigned URLs of S3 (Signature Version 4 in query parameters), by signing them again: method, path, all
 * parameters and the signed headers, such as `content-length`.
 *
 * @param wallClock epoch milliseconds
 * @returns what throws S3Error `SignatureDoesNotMatch` for any other request, or `AccessDenied` for an expired URL
 */
export function presignedVerifier(
  credentials: EmbeddedCredentials,
  wallClock: () => number,
): (request: IncomingMessage) => Promise<void> {
  const signer = new SignatureV4({
    service: "s3",
    region: EMBEDDED_REGION,
    credentials,
    sha256: Sha256,
    uriEscapePath: false,
  })
  return async (request) => {
    const [path = "/", query = ""] = (request.url ?? "/").split("?", 2)
    const parameters = new URLSearchParams(query)
    const signature = parameters.get(SIGNATURE_PARAMETER)
    if (signature === null) throw refused()
    // The server behind might use another one of two values than this check.
    if (new Set(parameters.keys()).size < parameters.size) throw refused()
    const signingDate = parseAmzDate(parameters.get("X-Amz-Date") ?? "")
    const expiresIn = Number(parameters.get("X-Amz-Expires") ?? Number.NaN)
    const headers = signedHeaders(request, parameters.get("X-Amz-SignedHeaders") ?? "")
    const hash = parameters.get(HASH_PARAMETER)
    if (signingDate === null || headers === null || hash !== "UNSIGNED-PAYLOAD") throw refused()
    if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > MAX_EXPIRY_SECONDS) throw refused()
    for (const name of [...OWN_PARAMETERS, HASH_PARAMETER]) parameters.delete(name)
    const signed = await signer.presign(
      {
        method: request.method ?? "GET",
        protocol: "http:",
        hostname: request.headers.host ?? "",
        path,
        query: Object.fromEntries(parameters),
        headers: { ...headers, [HASH_PARAMETER]: hash },
      },
      { signingDate, expiresIn, signableHeaders: new Set(Object.keys(headers)) },
    )
    if (!equalInConstantTime(String(signed.query?.[SIGNATURE_PARAMETER]), signature)) throw refused()
    // Only after the signature, so that a made-up URL gets the same answer, expired or not.
    if (wallClock() > signingDate.getTime() + expiresIn * 1000) throw new S3Error("AccessDenied")
  }
}

const refused = () => new S3Error("SignatureDoesNotMatch")

/** Returns the headers that were signed, or null when one of them is missing or the host is not among them. */
function signedHeaders(request: IncomingMessage, names: string): Record<string, string> | null {
  const headers: Record<string, string> = {}
  for (const name of names.split(";")) {
    const value = request.headers[name]
    if (typeof value !== "string") return null
    headers[name] = value
  }
  return "host" in headers ? headers : null
}

function parseAmzDate(value: string): Date | null {
  if (!AMZ_DATE.test(value)) return null
  const date = new Date(value.replace(AMZ_DATE, "$1-$2-$3T$4:$5:$6Z"))
  return Number.isNaN(date.getTime()) ? null : date
}
