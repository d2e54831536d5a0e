import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { BINDING_PREFIX } from "@sealway/enclave/request"
import { MAX_DOCUMENT_BYTES, MAX_JSON_DEPTH, MB, parseStrictJson } from "@sealway/kernel"
import type { SealingKeySource } from "@sealway/tokens"
import { encryptJson } from "@sealway/vault/encrypt-json"
import * as z from "zod"
import type { SecurityModule } from "../nsm/security-module.ts"
import { agentProblem } from "../service/agent-problem.ts"
import { requireRole } from "../service/public-key.ts"
import { answerProblem, type OnError } from "./answer-problem.ts"
import { isJson, readRequestBody } from "./read-request-body.ts"
import { untilUpgrade } from "./until-upgrade.ts"

export interface AgentServerDependencies {
  readonly securityModule: SecurityModule
  /** Returns what seals to the app's public key. */
  readonly publicKey: () => Promise<SealingKeySource>
  /** Decrypts the tokens of a JSON value. */
  readonly decrypt: (data: Buffer) => Promise<Buffer>
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  readonly onError: OnError
}

/** `data` of one request to the API. */
export const MAX_DECRYPT_BYTES = 4 * MB
const MAX_ATTESTATION_REQUEST_BYTES = 8 * 1_024
const MAX_CONNECTIONS = 64

interface Answer {
  readonly contentType: "application/json" | "application/octet-stream"
  readonly bytes: Buffer
}

type Handle = (request: IncomingMessage) => Promise<Answer>

/** Creates the server for the program in the enclave. Let it listen on the loopback address only. */
export function createAgentServer(dependencies: AgentServerDependencies): Server {
  const { securityModule, publicKey, decrypt, wallClock, onError } = dependencies
  const json = (bytes: Buffer): Answer => ({ contentType: "application/json", bytes })

  const routes: Readonly<Record<string, Handle>> = {
    "GET /health": async () => json(Buffer.from('{"status":"ok"}')),
    "POST /encrypt": async (request) => {
      const role = requireRole(request.headers["x-service-data-role"]?.toString())
      const body = await readJson(request, MAX_DOCUMENT_BYTES)
      const source = await publicKey()
      const metadata = { role, encryptedAt: Math.floor(wallClock() / 1_000) }
      const { bytes } = await encryptJson(body, (values) => source.current(values), metadata)
      return json(bytes)
    },
    "POST /decrypt": async (request) => {
      const body = await readJson(request, MAX_DECRYPT_BYTES)
      return json(await decrypt(body))
    },
    "POST /attestation-doc": async (request) => {
      const body = await readJson(request, MAX_ATTESTATION_REQUEST_BYTES)
      const bytes = await securityModule.attest(readAttestationRequest(parseStrictJson(body, MAX_JSON_DEPTH)))
      return { contentType: "application/octet-stream", bytes }
    },
  }

  const server = createServer(
    untilUpgrade((request, response) => {
      const handle = routes[`${request.method} ${request.url?.split("?")[0]}`] ?? unknownRoute
      handle(request)
        .then((answer) => writeAnswer(response, answer))
        .catch((error: unknown) => answerProblem(response, error, onError))
    }),
  )
  server.maxConnections = MAX_CONNECTIONS
  return server
}

const unknownRoute: Handle = async () => {
  throw agentProblem(
    "not-found",
    "The agent has POST /encrypt, /decrypt and /attestation-doc, and GET /health.",
  )
}

function writeAnswer(response: ServerResponse, { contentType, bytes }: Answer): void {
  response.writeHead(200, {
    "content-type": contentType,
    "content-length": bytes.length,
    "cache-control": "no-store",
  })
  response.end(bytes)
}

async function readJson(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (!isJson(request)) throw agentProblem("unsupported-media-type", "Content-Type must be application/json.")
  return readRequestBody(request, maxBytes)
}

const field = (maxBytes: number) =>
  z
    .base64()
    .max(Math.ceil(maxBytes / 3) * 4)
    .transform((text) => Buffer.from(text, "base64"))
    .refine((bytes) => bytes.length <= maxBytes)
    .nullish()

const attestationRequestSchema = z.strictObject({
  challenge: field(512).refine(
    (bytes) => bytes?.subarray(0, BINDING_PREFIX.length).toString() !== BINDING_PREFIX,
  ),
  nonce: field(512),
  public_key: field(1_024),
})

/** A document for others must never serve as the credential of a request: what binds one to a request is refused here. */
function readAttestationRequest(input: unknown) {
  const parsed = attestationRequestSchema.safeParse(input)
  if (!parsed.success) {
    throw agentProblem(
      "invalid-request",
      `The body may have challenge and nonce, of 512 bytes, and public_key, of 1024, all in base64. No challenge may begin with ${BINDING_PREFIX}`,
    )
  }
  const { challenge, nonce, public_key: publicKey } = parsed.data
  return {
    ...(challenge && { userData: challenge }),
    ...(nonce && { nonce }),
    ...(publicKey && { publicKey }),
  }
}
