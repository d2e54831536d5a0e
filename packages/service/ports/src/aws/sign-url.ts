import { Sha256 } from "@smithy/core/checksum"
import type { SignatureV4Init } from "@smithy/signature-v4"
import { SignatureV4 } from "@smithy/signature-v4"
import type { Objects } from "../ports/objects.ts"

/** How long a part may wait for its turn, and take. */
const PART_SECONDS = 3_600
/** How long a download may take to start, each time it is resumed. */
const DOWNLOAD_SECONDS = 900

export interface UrlSignerOptions extends Pick<SignatureV4Init, "credentials" | "region"> {
  /** Returns where the bucket is: `https://files.s3.eu-west-1.amazonaws.com`. */
  readonly bucketUrl: () => Promise<string>
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

interface UrlToSign {
  readonly method: "GET" | "PUT"
  readonly key: string
  readonly query: Readonly<Record<string, string>>
  /** Whoever uses the URL must send exactly these. */
  readonly headers: Readonly<Record<string, string>>
  readonly expiresInSeconds: number
}

/**
 * Signs URLs of a bucket (Signature Version 4 in query parameters). That makes no call: a URL permits what the credentials
 * do.
 */
export function createUrlSigner({
  credentials,
  region,
  bucketUrl,
  wallClock,
}: UrlSignerOptions): Pick<Objects, "signPart" | "signDownload"> {
  const signer = new SignatureV4({ service: "s3", credentials, region, sha256: Sha256, uriEscapePath: false })

  async function sign({ method, key, query, headers, expiresInSeconds }: UrlToSign) {
    const now = wallClock()
    const { protocol, host, pathname } = new URL(`${await bucketUrl()}/${key}`)
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
        expiresIn: expiresInSeconds,
        // The signer leaves some headers out unless they are named.
        signableHeaders: new Set([...Object.keys(headers), "host"]),
      },
    )
    const parameters = Object.entries(signed).map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
    )
    const url = new URL(`${protocol}//${host}${pathname}?${parameters.join("&")}`)
    return { url, expiresAt: now + expiresInSeconds * 1000 }
  }

  return {
    signPart: ({ key, uploadId }, { number, size }) =>
      sign({
        method: "PUT",
        key,
        query: { partNumber: String(number), uploadId },
        headers: { "content-length": String(size) },
        expiresInSeconds: PART_SECONDS,
      }),
    signDownload: (key) =>
      sign({ method: "GET", key, query: {}, headers: {}, expiresInSeconds: DOWNLOAD_SECONDS }),
  }
}
