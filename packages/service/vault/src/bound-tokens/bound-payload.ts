import {
  equalInConstantTime,
  ForbiddenError,
  jsonProblem,
  MAX_JSON_DEPTH,
  parseStrictJsonInSteps,
  reserveToParse,
  type Task,
  type Work,
} from "@sealway/kernel"
import type { BoundPrincipal } from "./bound-token.ts"
import { hashPayloadInSteps } from "./payload-hash.ts"

/**
 * Checks that a payload is the one that a token is bound to. A payload that is not canonical JSON cannot pass for
 * another one.
 *
 * @param payload JSON
 * @param token the name of the token
 * @param task has the memory for the parsed payload
 * @throws ForbiddenError when it is a different payload, InvalidRequestError when it is ambiguous
 */
export async function requireBoundPayload(
  { payloadHash }: BoundPrincipal,
  payload: Buffer,
  token: string,
  task: Task,
): Promise<void> {
  const hash = await task.run(hashInSteps(payload, task))
  if (!equalInConstantTime(hash, payloadHash)) throw otherPayload(token)
}

export function otherPayload(token: string): ForbiddenError {
  return new ForbiddenError(`The ${token} was issued for another payload.`)
}

function* hashInSteps(bytes: Buffer, task: Task): Work<string> {
  yield* reserveToParse(bytes, task)
  try {
    return yield* hashPayloadInSteps(yield* parseStrictJsonInSteps(bytes, MAX_JSON_DEPTH))
  } catch (error) {
    throw jsonProblem(error)
  }
}
