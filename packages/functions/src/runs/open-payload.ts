import { processTurns } from "@sealway/kernel"
import type { App } from "@sealway/platform"
import { createTokenOpener, decryptJson, recordDecryption } from "@sealway/vault"
import type { FunctionDependencies } from "../dependencies.ts"
import type { RunRequester } from "../records/run-table.ts"
import { readRunRequestInSteps } from "../request/run-request.ts"

/** Who decides over a run's payload. */
export interface PayloadContext {
  readonly functionName: string
  readonly ip: string
  readonly apiKeyId: string
}

type PayloadDependencies = Pick<
  FunctionDependencies,
  "keyring" | "dataRoles" | "accessLog" | "audit" | "wallClock"
>

/**
 * The payload of a run's request with every token replaced by the value it holds, as far as policies permit a function
 * of this name. Everything else stays as it is written. What was decrypted is put on record.
 *
 * @param body of the request: pointers of refusals lead into it
 * @throws InvalidRequestError when a token does not open
 * @throws DecryptionForbiddenError when one value may not be decrypted
 * @throws ApiError `service-unavailable` when a role asks for a record in the audit log, and it cannot be written
 */
export async function openPayload(
  dependencies: PayloadDependencies,
  app: App,
  body: Buffer,
  functionName: string,
  { actor, ip, requestId, apiKeyId }: RunRequester,
): Promise<Buffer> {
  const { keyring, dataRoles } = dependencies
  const { bytes: opened, values } = await decryptJson(body, createTokenOpener(keyring, app), (roles) =>
    dataRoles.decide(app, roles, { source: "function", functionName, ip, apiKeyId }),
  )
  const author = { actor, ip, requestId }
  await recordDecryption(dependencies, { app, author, source: "function", apiKeyId, functionName }, values)
  const { payload } = await processTurns.run(readRunRequestInSteps(opened))
  return opened.subarray(payload.start, payload.end)
}

/**
 * Makes sure that the payload of a run that has ended could be opened today, so that its outcome may be told again.
 * Budgets are neither asked nor spent: the values were counted when the function ran.
 *
 * @param body of the request
 * @throws InvalidRequestError, DecryptionForbiddenError as `openPayload`
 */
export async function requireOpenable(
  { keyring, dataRoles }: Pick<FunctionDependencies, "keyring" | "dataRoles">,
  app: App,
  body: Buffer,
  context: PayloadContext,
): Promise<void> {
  await decryptJson(body, createTokenOpener(keyring, app), (roles) => {
    const uncounted = roles.map(({ role }) => ({ role, values: 0 }))
    return dataRoles.decide(app, uncounted, { source: "function", ...context })
  })
}
