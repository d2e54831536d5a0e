import type { Caller } from "@sealway/accounts"
import {
  type AppPrincipal,
  type AuthScheme,
  apiKey,
  type Document,
  endpoint,
  timedKeyring,
} from "@sealway/http"
import { andThen, invalidField, type MaybePromise, type Task } from "@sealway/kernel"
import { DECISION_GRANTS, type DecisionContext } from "@sealway/policies"
import { AUDIT_GRANTS, OPENING_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { recordDecryption } from "../audit/record-decryption.ts"
import { otherPayload, requireBoundPayload } from "../bound-tokens/bound-payload.ts"
import type { BoundPrincipal } from "../bound-tokens/bound-token.ts"
import { clientSideToken } from "../bound-tokens/client-side-token.ts"
import type { VaultDependencies } from "../dependencies.ts"
import { type DecryptedJson, decryptJson } from "../documents/decrypt-json.ts"
import { ONE_FILE } from "../documents/decrypted-values.ts"
import { openUploadedFile } from "../documents/open-uploaded-file.ts"
import type { DecideRoles } from "../documents/role-tally.ts"
import { createTokenOpener } from "../values/token-opener.ts"
import { DECRYPTION_HEADERS, decryptionHeaders } from "./decryption-headers.ts"
import { openingHeaders } from "./opening-headers.ts"
import { reportRefusal } from "./report-refusal.ts"

type DecryptPrincipal = AppPrincipal | BoundPrincipal

const TOKEN = "client-side token"

const auth: readonly AuthScheme<DecryptPrincipal>[] = [apiKey("api:decrypt"), clientSideToken()]

const headersSchema = z.object({
  "x-service-require-tokens": z
    .enum(["true", "false"])
    .optional()
    .describe(
      "`true` refuses a JSON body without tokens, and any string that begins with `ev:` but is not a complete token. By default both are returned unchanged",
    ),
  ...openingHeaders,
})

export const decrypt = endpoint({
  id: "decrypt",
  method: "POST",
  path: "/decrypt",
  tag: "Core",
  summary: "Decrypt JSON or a file",
  description:
    "Replaces every token in a JSON value with the original value, with its type and digits, and returns everything else unchanged. A value with a data role is decrypted only if the role's policies permit it; where they permit a mask only, the string is what the role's `mask` shows. If one value may not be decrypted, the whole request is refused and the audit log records it. The access log records every success. With a client-side token, the body must be the payload that the token was issued for.",
  auth,
  reveals: "values",
  request: {
    headers: headersSchema,
    body: { kind: "document", formats: ["json", "bytes"], holdsTokens: true, description: "What to decrypt" },
  },
  status: 200,
  reply: { kind: "document", formats: ["json", "bytes"], description: "The same body, decrypted" },
  replyHeaders: DECRYPTION_HEADERS,
  errors: ["decrypt/forbidden", "decrypt/masked-only", "decrypt/reason-required", "data-subject/erased"],
  grants: [...OPENING_GRANTS, ...DECISION_GRANTS, ...AUDIT_GRANTS],
  answer({ principal, caller, headers, body, timing, allowance, task }, dependencies: VaultDependencies) {
    const { dataRoles } = dependencies
    const { app } = principal
    const reason = headers["x-service-reason"] ?? null
    const decisionContext = contextOf(principal, caller, reason)
    const open = () => {
      const opener = createTokenOpener(timedKeyring(dependencies.keyring, timing), app, task)
      const reveal = headers["x-service-reveal"]
      if (body.format !== "json") {
        if (reveal === "masked") throw invalidField("/headers/x-service-reveal", "A file has no mask.")
        allowance.takeValues(1)
        return andThen(openUploadedFile(body.bytes, opener, task), (bytes) => ({ bytes, values: ONE_FILE }))
      }
      const decide: DecideRoles = (roles) =>
        timing.measure("policy", () => dataRoles.decide(app, roles, decisionContext))
      const requiresTokens = headers["x-service-require-tokens"] === "true"
      return decryptJson(body.bytes, opener, decide, {
        requiresTokens,
        reveal: reveal ?? "any",
        takesReason: true,
        task,
        allowance,
      })
    }
    const record = ({ bytes, values }: Pick<DecryptedJson, "bytes" | "values">) => {
      const { source, apiKeyId } = decisionContext
      const context = { app, author: authorOf(caller), source, apiKeyId, reason }
      return andThen(recordDecryption(dependencies, context, values), () => ({
        body: { format: body.format, bytes },
        headers: decryptionHeaders(values),
      }))
    }
    return andThen(requireOwnPayload(principal, body, task), () =>
      andThen(timing.measure("crypto", open), record),
    )
  },
  onForbidden: reportRefusal,
})

/** @throws ForbiddenError when the sender has a client-side token that was issued for another payload */
function requireOwnPayload(principal: DecryptPrincipal, body: Document, task: Task): MaybePromise<void> {
  if (!("payloadHash" in principal)) return
  if (body.format !== "json") throw otherPayload(TOKEN)
  return requireBoundPayload(principal, body.bytes, TOKEN, task)
}

function contextOf(principal: DecryptPrincipal, { ip }: Caller, reason: string | null): DecisionContext {
  const source = "payloadHash" in principal ? "client-token" : "api"
  return { source, ip, apiKeyId: principal.apiKeyId, ...(reason !== null && { hasReason: true }) }
}
