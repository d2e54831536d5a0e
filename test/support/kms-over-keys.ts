import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import type { EmbeddedCloud } from "@sealway/local"
import type { Keys } from "@sealway/ports"
import * as z from "zod"

/** An answer of an API of AWS that speaks JSON. */
export interface AwsAnswer {
  readonly status: number
  readonly body: string
}

const bytes = z.base64().transform((encoded) => Buffer.from(encoded, "base64"))
const inputSchema = z.object({
  KeyId: z.string(),
  EncryptionContext: z.record(z.string(), z.string()).default({}),
  Plaintext: bytes.default(Buffer.alloc(0)),
  CiphertextBlob: bytes.default(Buffer.alloc(0)),
})

/** Answers KMS's calls of the stage's key by keys of another kind, for programs that run as in AWS. */
export async function answerKms(keys: Keys, operation: string, body: string): Promise<AwsAnswer> {
  const { KeyId, EncryptionContext, Plaintext, CiphertextBlob } = inputSchema.parse(JSON.parse(body))
  const encoded = (result: Uint8Array) => Buffer.from(result).toString("base64")
  const work = {
    Encrypt: async () => ({ CiphertextBlob: encoded(await keys.seal(KeyId, Plaintext, EncryptionContext)) }),
    Decrypt: async () => ({ Plaintext: encoded(await keys.open(KeyId, CiphertextBlob, EncryptionContext)) }),
  }
  try {
    if (operation !== "Encrypt" && operation !== "Decrypt") throw new Error("No test needs this operation")
    return { status: 200, body: JSON.stringify(await work[operation]()) }
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error("unknown")
    return { status: 400, body: JSON.stringify({ __type: name, message }) }
  }
}

/** A server of KMS. */
export interface KmsServer {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string
  close(): Promise<void>
}

/** Those that `serveKms` lets in, as variables of the environment. */
export const KMS_CREDENTIALS = { AWS_ACCESS_KEY_ID: "known", AWS_SECRET_ACCESS_KEY: "secret" }

/** Serves the keys of a cloud to those who name the known access key. Signatures are not checked. */
export async function serveKms({ keys }: Pick<EmbeddedCloud, "keys">): Promise<KmsServer> {
  const server = createServer(async (request, response) => {
    if (!request.headers.authorization?.includes(`Credential=${KMS_CREDENTIALS.AWS_ACCESS_KEY_ID}/`)) {
      response.writeHead(400).end('{"__type":"UnrecognizedClientException"}')
      return
    }
    const operation = String(request.headers["x-amz-target"]).replace("TrentService.", "")
    const { status, body } = await answerKms(keys, operation, await text(request))
    response.writeHead(status).end(body)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
