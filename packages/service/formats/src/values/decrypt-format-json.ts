import {
  MAX_JSON_DEPTH,
  type MaybePromise,
  pointerAtOffsetInSteps,
  type Work,
  waitFor,
} from "@sealway/kernel"
import { applyMask } from "@sealway/kernel/masks"
import type { RevealMode } from "@sealway/policies"
import { type DecideRoles, type DecryptedValues, RoleTally } from "@sealway/vault"
import { type TransformRequest, transformTexts, writeTexts } from "./transform-json.ts"

export interface DecryptRequest extends TransformRequest {
  /** Slug of the data role of all values. */
  readonly role: string
  readonly decide: DecideRoles
  /** What the caller takes. */
  readonly reveal: RevealMode
}

/** What the tally asks of a value: only that it is there. */
const OPENED = Buffer.alloc(0)

/**
 * Replaces every string of a JSON document by what it decrypts to, or by a mask of it. The policies are asked when all
 * strings are known to be tokens, so that a refused document spends no budget.
 *
 * @throws InvalidRequestError as `transformJson`
 * @throws DecryptionForbiddenError when the values may not be decrypted
 */
export function decryptFormatJson(
  bytes: Buffer,
  request: DecryptRequest,
): MaybePromise<{ readonly bytes: Buffer; readonly values: DecryptedValues }> {
  return request.task.run(decryptInSteps(bytes, request))
}

function* decryptInSteps(
  bytes: Buffer,
  request: DecryptRequest,
): Work<{ readonly bytes: Buffer; readonly values: DecryptedValues }> {
  const { role, decide, reveal } = request
  const decrypted = yield* transformTexts(bytes, request)
  const tally = new RoleTally<number>()
  for (const { start } of decrypted.places) tally.add({ role, value: OPENED }, start)
  const judgement = yield* waitFor(tally.judge(decide, { reveal, takesReason: true }))
  const { refused } = judgement
  if (refused !== null) {
    throw refused.error(yield* pointerAtOffsetInSteps(bytes, refused.place ?? 0, MAX_JSON_DEPTH))
  }
  const mask = judgement.masks.get(role)
  const show = mask && ((value: string) => applyMask(mask, value))
  return { bytes: yield* writeTexts(bytes, decrypted, show), values: judgement.values }
}
