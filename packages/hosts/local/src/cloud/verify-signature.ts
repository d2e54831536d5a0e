import { createHash } from "node:crypto"
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { equalInConstantTime } from "@sealway/kernel"
import { Sha256 } from "@smithy/core/checksum"
import { SignatureV4 } from "@smithy/signature-v4"
import { EMBEDDED_REGION, type EmbeddedCredentials } from "./credentials.ts"

/** Why AWS would refuse a request before processing it. */
export interface SignatureRefusal {
  readonly type:
    | "MissingAuthenticationTokenException"
    | "IncompleteSignatureException"
    | "UnrecognizedClientException"
    | "InvalidSignatureException"
    | "SignatureDoesNotMatch"
    | "AccessDenied"
  readonly message: string
}

/** Null means that the request was signed with the embedded cloud's credentials. */
export type VerifySignature = (request: IncomingMessage) => Promise<SignatureRefusal | null>

const MISSING: SignatureRefusal = {
  type: "MissingAuthenticationTokenException",
  message: "Request is missing Authentication Token",
}
const INCOMPLETE: SignatureRefusal = {
  type: "IncompleteSignatureException",
  message: "The request signature does not conform to AWS standards.",
}
const UNRECOGNIZED: SignatureRefusal = {
  type: "UnrecognizedClientException",
  message: "The security token included in the request is invalid.",
}
const MISMATCH: SignatureRefusal = {
  type: "InvalidSignatureException",
  message: "The request signature we calculated does not match the signature you provided.",
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/\s,]+)\/(\d{8})\/([^/\s,]+)\/([^/\s,]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}$/
const AMZ_DATE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/
const ALWAYS_SIGNED = ["host", "x-amz-date", "x-amz-content-sha256"]

/**
 * Checks Signature Version 4 on the headers of requests to the named services, by signing them again.
 *
 * The body is covered through `x-amz-content-sha256`, which the AWS SDK for JavaScript always signs; the code that
 * reads the body compares it (`matchesSignedHash`). A signature does not expire: the credentials do not outlive the
 * process.
 */
export function signatureVerifier(
  credentials: EmbeddedCredentials,
  services: readonly ("kms" | "sqs" | "s3" | "lambda" | "logs")[],
): VerifySignature {
  const signers = new Map(services.map((service) => [service as string, signerFor(service, credentials)]))
  return async (request) => {
    const { authorization } = request.headers
    if (authorization === undefined) return MISSING
    const parsed = parseAuthorization(authorization)
    const signingDate = parseAmzDate(request.headers["x-amz-date"])
    if (parsed === null || signingDate === null) return INCOMPLETE
    if (!equalInConstantTime(parsed.accessKeyId, credentials.accessKeyId)) return UNRECOGNIZED
    const signer = signers.get(parsed.service)
    const signedHeaders = headersToSign(request.headers, parsed.signedHeaders)
    if (signer === undefined || signedHeaders === null) return MISMATCH

    const [path = "/", query = ""] = splitOnce(request.url ?? "/", "?")
    const signed = await signer.sign(
      {
        method: request.method ?? "GET",
        protocol: "http:",
        hostname: request.headers.host ?? "",
        path,
        query: parseQuery(query),
        headers: signedHeaders,
      },
      { signingDate, signableHeaders: parsed.signedHeaders },
    )
    return equalInConstantTime(signed.headers.authorization ?? "", authorization) ? null : MISMATCH
  }
}

/** True when the body is the one whose hash was signed. */
export function matchesSignedHash(headers: IncomingHttpHeaders, body: Uint8Array): boolean {
  return headers["x-amz-content-sha256"] === createHash("sha256").update(body).digest("hex")
}

/** Creates the signer of a service's requests. */
export function signerFor(service: string, credentials: EmbeddedCredentials): SignatureV4 {
  return new SignatureV4({
    service,
    region: EMBEDDED_REGION,
    credentials,
    sha256: Sha256,
    // Only S3 signs the path as it is sent; see "Create a canonical request" in AWS's signing documentation.
    uriEscapePath: service !== "s3",
  })
}

function parseAuthorization(authorization: string) {
  const [, accessKeyId, , , service, signedHeaders] = AUTHORIZATION.exec(authorization) ?? []
  if (accessKeyId === undefined || service === undefined || signedHeaders === undefined) return null
  return { accessKeyId, service, signedHeaders: new Set(signedHeaders.split(";")) }
}

export function parseAmzDate(value: string | string[] | undefined): Date | null {
  if (typeof value !== "string" || !AMZ_DATE.test(value)) return null
  const date = new Date(value.replace(AMZ_DATE, "$1-$2-$3T$4:$5:$6Z"))
  return Number.isNaN(date.getTime()) ? null : date
}

/** Returns null when a header that affects the service was not signed. */
function headersToSign(
  headers: IncomingHttpHeaders,
  signed: ReadonlySet<string>,
): Record<string, string> | null {
  const mustBeSigned = [...ALWAYS_SIGNED, ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))]
  if (mustBeSigned.some((name) => !signed.has(name))) return null
  const toSign: Record<string, string> = {}
  for (const name of signed) {
    const value = headers[name]
    if (typeof value !== "string") return null
    toSign[name] = value
  }
  return toSign
}

function parseQuery(query: string): Record<string, string | string[]> {
  const parameters = new URLSearchParams(query)
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]))
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
