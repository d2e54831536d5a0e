import { endpoint } from "@sealway/http"
import { DECISION_GRANTS } from "@sealway/policies"
import { AUDIT_GRANTS, OPENING_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { recordDecryption } from "../audit/record-decryption.ts"
import { requireBoundPayload } from "../bound-tokens/bound-payload.ts"
import { revealToken, sealForFrame } from "../bound-tokens/reveal-token.ts"
import type { VaultDependencies } from "../dependencies.ts"
import { decryptJson } from "../documents/decrypt-json.ts"
import { createTokenOpener } from "../values/token-opener.ts"
import { openingHeaders } from "./opening-headers.ts"
import { reportRefusal } from "./report-refusal.ts"

/** The document as the library for JWE seals it, in base64url and as the answer's text. */
const SEALED_COPIES = 5

export const reveal = endpoint({
  id: "reveal",
  method: "POST",
  path: "/reveal",
  tag: "Client Tokens",
  summary: "Decrypt a document for the frame that shows it",
  description:
    "Called by the frame of `sealway.reveal`, with a client-side token of the action `api:reveal`. The body must be the payload that the token was issued for. The answer is encrypted to the key that the token is bound to: nobody but that frame can read it. Policies apply as for `POST /decrypt`.",
  auth: [revealToken()],
  reveals: "values",
  request: {
    headers: z.object(openingHeaders),
    body: { kind: "document", formats: ["json"], holdsTokens: true, description: "What to decrypt" },
  },
  status: 200,
  reply: {
    kind: "object",
    schema: z
      .object({ sealed: z.string().describe("JWE (RFC 7516), ECDH-ES with A256GCM") })
      .meta({ id: "Reveal" }),
    description: "The document, decrypted, and encrypted to the frame's key",
  },
  errors: ["decrypt/forbidden", "decrypt/masked-only", "decrypt/reason-required", "data-subject/erased"],
  grants: [...OPENING_GRANTS, ...DECISION_GRANTS, ...AUDIT_GRANTS],
  async answer({ principal, caller, headers, body, allowance, task }, dependencies: VaultDependencies) {
    const { app, apiKeyId, revealKey } = principal
    await requireBoundPayload(principal, body.bytes, "client-side token", task)
    const source = "client-token"
    const reason = headers["x-service-reason"] ?? null
    const { bytes, values } = await decryptJson(
      body.bytes,
      createTokenOpener(dependencies.keyring, app, task),
      (roles) =>
        dependencies.dataRoles.decide(app, roles, {
          source,
          ip: caller.ip,
          apiKeyId,
          hasReason: reason !== null,
        }),
      {
        requiresTokens: true,
        takesReason: true,
        reveal: headers["x-service-reveal"] ?? "any",
        task,
        allowance,
        moreBytes: SEALED_COPIES * body.bytes.length,
      },
    )
    await recordDecryption(dependencies, { app, author: authorOf(caller), source, apiKeyId, reason }, values)
    return { body: { sealed: await sealForFrame(revealKey, bytes) } }
  },
  onForbidden: reportRefusal,
})
