import type { S3Client } from "@aws-sdk/client-s3"
import { regionalEndpoint } from "@sealway/platform"
import { Sha256 } from "@smithy/core/checksum"
import { SignatureV4 } from "@smithy/signature-v4"

export interface SignedUrl {
  readonly url: URL
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export interface UrlToSign {
  readonly method: "GET" | "PUT"
  readonly key: string
  readonly query: Readonly<Record<string, string>>
  /** Whoever uses the URL must send exactly these. */
  readonly headers: Readonly<Record<string, string>>
  /** In seconds. */
  readonly expiresIn: number
}

/**
 * Creates a function that presigns URLs of a bucket (Signature Version 4 in query parameters). It makes no call: the URL
 * permits what the credentials do.
 */
export function createUrlSigner(
  client: S3Client,
  bucket: string,
  wallClock: () => number,
): (request: UrlToSign) => Promise<SignedUrl> {
  return async ({ method, key, query, headers, expiresIn }) => {
    const { config } = client
    const { credentials, region } = config
    const signer = new SignatureV4({
      service: "s3",
      credentials,
      region,
      sha256: Sha256,
      uriEscapePath: false,
    })
    const base = await bucketUrl(config, bucket)
    const now = wallClock()
    const { protocol, host, pathname } = new URL(`${base}/${key}`)
    const { query: signed = {} } = await signer.presign(
      {
        method,
        protocol,
        hostname: host,
        path: pathname,
        query: { ...query },
        headers: { ...headers, host, "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD" },
      },
      {
        signingDate: new Date(now),
        expiresIn,
        // The signer leaves some headers out unless they are named.
        signableHeaders: new Set([...Object.keys(headers), "host"]),
      },
    )
    const parameters = Object.entries(signed).map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
    )
    const url = new URL(`${protocol}//${host}${pathname}?${parameters.join("&")}`)
    return { url, expiresAt: now + expiresIn * 1000 }
  }
}

async function bucketUrl({ endpoint, region }: S3Client["config"], bucket: string): Promise<string> {
  if (endpoint === undefined) return `https://${bucket}.${regionalEndpoint("s3", await region()).host}`
  const { protocol, hostname, port } = await endpoint()
  return `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}/${bucket}`
}
