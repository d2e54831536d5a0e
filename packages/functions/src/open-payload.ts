import type { App } from "@sealway/platform"
import { createTokenOpener, decryptJson } from "@sealway/vault"
import type { FunctionDependencies } from "./dependencies.ts"
import { readRunRequest } from "./run-request.ts"

/** Who decides over a run's payload. */
export interface PayloadContext {
  readonly functionName: string
  readonly ip: string
  readonly apiKeyId: string
}

/**
 * The payload of a run's request with every token replaced by the value it holds, as far as policies permit a function
 * of this name. Everything else stays as it is written.
 *
 * @param body of the request: pointers of refusals lead into it
 * @throws InvalidRequestError when a token does not open
 * @throws DecryptionForbiddenError when one value may not be decrypted
 */
export async function openPayload(
  { keyring, dataRoles }: Pick<FunctionDependencies, "keyring" | "dataRoles">,
  app: App,
  body: Buffer,
  context: PayloadContext,
): Promise<Buffer> {
  const opened = await decryptJson(body, createTokenOpener(keyring, app), (roles) =>
    dataRoles.decide(app, roles, { source: "function", ...context }),
  )
  const { payload } = readRunRequest(opened)
  return opened.subarray(payload.start, payload.end)
}
