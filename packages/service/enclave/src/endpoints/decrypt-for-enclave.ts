import { type AuthScheme, apiKey, endpoint } from "@sealway/http"
import { readMembersInSteps, type Turns } from "@sealway/kernel"
import { DECISION_GRANTS } from "@sealway/policies"
import { AUDIT_GRANTS, OPENING_GRANTS } from "@sealway/ports"
import { type AuditAuthor, authorOf } from "@sealway/records"
import {
  auditRefusal,
  createTokenOpener,
  DecryptionForbiddenError,
  decryptJson,
  openingHeaders,
  recordDecryption,
} from "@sealway/vault"
import * as z from "zod"
import type { EnclaveDependencies } from "../dependencies.ts"
import { ADMISSION_GRANTS, type AdmittedEnclave, admitEnclave } from "../request/admit-enclave.ts"
import { attestedApp, type EnclavePrincipal } from "../request/attested-app.ts"
import { sealForEnclave } from "../request/attested-key.ts"
import { readAttestedBody } from "../request/read-attested-body.ts"

const auth: readonly AuthScheme<EnclavePrincipal>[] = [apiKey("api:decrypt"), attestedApp()]

const attestedBodySchema = z
  .object({
    attestation: z.string().describe("The attestation document of a Nitro Security Module, in base64"),
    data: z.unknown().describe("What to decrypt, at most 4 MB"),
  })
  .meta({ id: "AttestedDecryption" })

/** The data as the library for JWE seals it, in base64url and as the answer's text. */
const SEALED_COPIES = 5

export const decryptForEnclave = endpoint({
  id: "decrypt-for-enclave",
  method: "POST",
  path: "/enclaves/decrypt",
  tag: "Enclaves",
  summary: "Decrypt JSON for an attested enclave",
  description:
    "Called by the agent in an AWS Nitro Enclave. The attestation is at most 5 minutes old and is accepted once. Its `user_data` is `sealway-decrypt-1:` and SHA-256 of the app's id, a zero byte and the bytes of `data`; its `public_key` is a key on P-384, or of RSA with 2048 to 4096 bits and the exponent 65537, and only the holder of its private key can read the answer. Policies see the source `enclave` and the PCRs. Send it with an API key; or, if the image is registered, with the app's id in the header `X-Service-App-Id`: then values without a data role are refused. An enclave in debug mode is always refused.",
  auth,
  reveals: "values",
  request: {
    headers: z.object(openingHeaders),
    body: {
      kind: "document",
      formats: ["json"],
      holdsTokens: true,
      schema: attestedBodySchema,
      description: "The attestation, and what to decrypt",
    },
  },
  status: 200,
  reply: {
    kind: "object",
    schema: z
      .object({
        sealed: z
          .string()
          .describe("`data`, decrypted, as a JWE (RFC 7516): ECDH-ES or RSA-OAEP-256, with A256GCM"),
      })
      .meta({ id: "SealedForEnclave" }),
    description: "The data, decrypted, and encrypted to the enclave's key",
  },
  errors: ["decrypt/forbidden", "decrypt/masked-only", "decrypt/reason-required", "data-subject/erased"],
  grants: [...ADMISSION_GRANTS, ...OPENING_GRANTS, ...DECISION_GRANTS, ...AUDIT_GRANTS],
  async answer({ principal, caller, headers, body, allowance, task }, dependencies: EnclaveDependencies) {
    const { keyring, dataRoles, audit } = dependencies
    const { app, apiKeyId } = principal
    const { attestation, data } = await task.run(readAttestedBody(body.bytes))
    const enclave = await admitEnclave(dependencies, {
      app,
      hasApiKey: apiKeyId !== null,
      attestation,
      data: body.bytes.subarray(data.start, data.end),
    })
    const author = authorWith(authorOf(caller), enclave)
    const source = "enclave"
    const reason = headers["x-service-reason"] ?? null
    try {
      const context = {
        source,
        ip: caller.ip,
        apiKeyId,
        enclavePcrs: enclave.pcrs,
        hasReason: reason !== null,
      } as const
      // All of the body, so that problems are found at their place in it.
      const { bytes, values } = await decryptJson(
        body.bytes,
        createTokenOpener(keyring, app, task),
        (roles) => dataRoles.decide(app, roles, context),
        {
          requiresRoles: apiKeyId === null,
          takesReason: true,
          reveal: headers["x-service-reveal"] ?? "any",
          task,
          allowance,
          moreBytes: SEALED_COPIES * body.bytes.length,
        },
      )
      await recordDecryption(
        dependencies,
        { app, author, source, apiKeyId, enclave: enclave.identity, reason },
        values,
      )
      return { body: { sealed: await sealForEnclave(enclave.key, await dataOf(bytes, task)) } }
    } catch (error) {
      if (error instanceof DecryptionForbiddenError) {
        const { moduleId, pcr0 } = enclave.identity
        await auditRefusal(audit, app, author, error, { source, enclave: moduleId, pcr0 })
      }
      throw error
    }
  },
  async onForbidden({ principal: { app }, caller, endpointId }, error, { audit }: EnclaveDependencies) {
    // The others are recorded where the enclave is known.
    if (!(error instanceof DecryptionForbiddenError))
      await auditRefusal(audit, app, authorOf(caller), error, { endpoint: endpointId })
  },
})

/** Names the registration that has let the enclave in, where that is what has. */
function authorWith(author: AuditAuthor, { identity: { registrationId } }: AdmittedEnclave): AuditAuthor {
  if (author.actor.type !== "enclave" || registrationId === null) return author
  return { ...author, actor: { type: "enclave", id: registrationId } }
}

async function dataOf(body: Buffer, turns: Turns): Promise<Buffer> {
  const data = (await turns.run(readMembersInSteps(body)))?.get("data")
  if (data === undefined) throw new TypeError("The body has lost its data")
  return body.subarray(data.start, data.end)
}
