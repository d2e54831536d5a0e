import { createHash } from "node:crypto"
import { Sha256 } from "@smithy/core/checksum"
import { SignatureV4 } from "@smithy/signature-v4"
import { EMBEDDED_REGION, type EmbeddedCredentials } from "../credentials.ts"

export interface RequestToSign {
  readonly service: string
  readonly target: string
  readonly body: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  readonly credentials: EmbeddedCredentials
}

/** Returns what `fetch` needs to send a signed AWS JSON request that no SDK client would send. */
export async function signedRequest(
  endpoint: string,
  { service, target, body, headers = {}, credentials }: RequestToSign,
): Promise<{ method: "POST"; headers: Record<string, string>; body: string | Uint8Array<ArrayBuffer> }> {
  const bytes = new Uint8Array(Buffer.from(body))
  const signer = new SignatureV4({ service, region: EMBEDDED_REGION, credentials, sha256: Sha256 })
  const { host, hostname } = new URL(endpoint)
  const signed = await signer.sign({
    method: "POST",
    protocol: "http:",
    hostname,
    path: "/",
    headers: {
      host,
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": target,
      "x-amz-content-sha256": createHash("sha256").update(bytes).digest("hex"),
      ...headers,
    },
  })
  return { method: "POST", headers: signed.headers, body: bytes }
}
