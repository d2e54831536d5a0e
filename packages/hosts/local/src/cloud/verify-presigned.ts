import type { IncomingMessage } from "node:http"
import { equalInConstantTime } from "@sealway/kernel"
import type { EmbeddedCredentials } from "./credentials.ts"
import { parseAmzDate, type SignatureRefusal, signerFor, type VerifySignature } from "./verify-signature.ts"

const REFUSED: SignatureRefusal = {
  type: "SignatureDoesNotMatch",
  message: "The request signature we calculated does not match the signature you provided.",
}
const EXPIRED: SignatureRefusal = { type: "AccessDenied", message: "Request has expired" }

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
const MAX_EXPIRY_SECONDS = 7 * 24 * 60 * 60

/**
 * Checks presigned URLs of S3 (Signature Version 4 in query parameters), by signing them again: method, path, all
 * parameters and the signed headers, such as `content-length`. Other requests are refused.
 */
export function presignedVerifier(
  credentials: EmbeddedCredentials,
  wallClock: () => number,
): VerifySignature {
  const signer = signerFor("s3", credentials)
  return async (request) => {
    const [path = "/", query = ""] = (request.url ?? "/").split("?", 2)
    const parameters = new URLSearchParams(query)
    const signature = parameters.get(SIGNATURE_PARAMETER)
    if (signature === null) return REFUSED
    // The server behind might use another one of two values than this check.
    if (new Set(parameters.keys()).size < parameters.size) return REFUSED
    const signingDate = parseAmzDate(parameters.get("X-Amz-Date") ?? undefined)
    const expiresIn = Number(parameters.get("X-Amz-Expires") ?? Number.NaN)
    const headers = signedHeaders(request, parameters.get("X-Amz-SignedHeaders") ?? "")
    const hash = parameters.get(HASH_PARAMETER)
    if (signingDate === null || headers === null || hash !== "UNSIGNED-PAYLOAD") return REFUSED
    if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > MAX_EXPIRY_SECONDS) return REFUSED
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
    if (!equalInConstantTime(String(signed.query?.[SIGNATURE_PARAMETER]), signature)) return REFUSED
    // Only after the signature, so that nobody learns anything of a URL that he made up.
    return wallClock() > signingDate.getTime() + expiresIn * 1000 ? EXPIRED : null
  }
}

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
