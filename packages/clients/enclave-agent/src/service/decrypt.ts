import { generateKeyPair, type KeyObject } from "node:crypto"
import { promisify } from "node:util"
import { bindRequest } from "@sealway/enclave/request"
import { compactDecrypt, errors } from "jose"
import * as z from "zod"
import type { SecurityModule } from "../nsm/security-module.ts"
import type { AppOptions, CallDependencies } from "./agent-options.ts"
import { agentProblem } from "./agent-problem.ts"
import { callService } from "./call-service.ts"
import { checkJson } from "./check-json.ts"

const generateKeys = promisify(generateKeyPair)
const answerSchema = z.object({ sealed: z.string() })

export interface DecryptDependencies extends CallDependencies {
  readonly securityModule: SecurityModule
}

/**
 * Decrypts every token in JSON by the API, which sees that this enclave asks. The answer is encrypted to a key that only
 * this call knows.
 *
 * @param data the bytes of a JSON value
 * @throws JsonSyntaxError, JsonDepthError when the data is not JSON, AgentProblem when the API refuses, SecurityModuleError when the enclave cannot be attested
 */
export async function decryptJson(
  { serviceUrl, appId, apiKey }: AppOptions,
  { fetch, securityModule }: DecryptDependencies,
  data: Buffer,
): Promise<Buffer> {
  // Bytes of anything else could add fields to the body.
  await checkJson(data)
  const { publicKey, privateKey } = await generateKeys("ec", { namedCurve: "P-384" })
  const attestation = await securityModule.attest({
    publicKey: publicKey.export({ format: "der", type: "spki" }),
    userData: bindRequest(appId, data),
  })
  const head = `{"attestation":"${attestation.toString("base64")}","data":`
  const { json } = await callService({ fetch }, `${serviceUrl}/enclaves/decrypt`, {
    method: "POST",
    headers: { "content-type": "application/json", ...credentials(appId, apiKey) },
    body: Buffer.concat([Buffer.from(head), data, Buffer.from("}")]),
  })
  return openAnswer(json, privateKey)
}

function credentials(appId: string, apiKey: string | null): Record<string, string> {
  if (apiKey === null) return { "x-service-app-id": appId }
  return { authorization: `Basic ${Buffer.from(`${appId}:${apiKey}`).toString("base64")}` }
}

async function openAnswer(json: unknown, key: KeyObject): Promise<Buffer> {
  try {
    const { sealed } = answerSchema.parse(json)
    const { plaintext } = await compactDecrypt(sealed, key, {
      keyManagementAlgorithms: ["ECDH-ES"],
      contentEncryptionAlgorithms: ["A256GCM"],
    })
    return Buffer.from(plaintext)
  } catch (cause) {
    if (!(cause instanceof errors.JOSEError || cause instanceof z.ZodError)) throw cause
    throw agentProblem("service-unavailable", "The service's answer is not encrypted to this enclave.", {
      cause,
    })
  }
}
