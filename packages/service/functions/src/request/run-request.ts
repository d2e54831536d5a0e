import {
  AmbiguousJsonError,
  finish,
  InvalidRequestError,
  jsonProblem,
  type MemberRange,
  RepeatedMemberError,
  readMembersInSteps,
  type Work,
} from "@sealway/kernel"

/** The parsed request for a run. */
export interface RunRequest {
  /** The position of the payload in the request body. */
  readonly payload: MemberRange
  readonly isAsync: boolean
}

const OPEN_BRACE = 0x7b

/**
 * Parses `{payload, async}`, keeping the payload byte for byte.
 *
 * @throws InvalidRequestError
 */
export function readRunRequest(body: Buffer): RunRequest {
  return finish(readRunRequestInSteps(body))
}

/** `readRunRequest`, in steps. */
export function* readRunRequestInSteps(body: Buffer): Work<RunRequest> {
  const members = yield* membersOf(body)
  for (const name of members.keys()) {
    if (name !== "payload" && name !== "async") {
      throw problem("", "Unknown field. Allowed fields: payload, async.")
    }
  }
  const payload = members.get("payload")
  if (payload === undefined || body[payload.start] !== OPEN_BRACE) {
    throw problem("/payload", "The payload must be an object.")
  }
  const flag = members.get("async")
  const text = flag === undefined ? "null" : body.toString("latin1", flag.start, flag.end)
  // Clients send null for an omitted field.
  if (!["true", "false", "null"].includes(text)) throw problem("/async", "This must be true or false.")
  return { payload, isAsync: text === "true" }
}

/**
 * Builds the run request for a body that is the payload itself, as older clients send it.
 *
 * @throws InvalidRequestError when the body is not exactly one JSON object, which could break out of the text put
 * around it
 */
export function wrapPayload(body: Buffer, isAsync: boolean): Buffer {
  return finish(wrapPayloadInSteps(body, isAsync))
}

/** `wrapPayload`, in steps. */
export function* wrapPayloadInSteps(body: Buffer, isAsync: boolean): Work<Buffer> {
  yield* membersOf(body)
  return Buffer.concat([Buffer.from('{"payload":'), body, Buffer.from(`,"async":${isAsync}}`)])
}

function* membersOf(body: Buffer): Work<ReadonlyMap<string, MemberRange>> {
  try {
    const members = yield* readMembersInSteps(body)
    if (members !== null) return members
  } catch (error) {
    throw jsonProblem(
      error instanceof RepeatedMemberError ? new AmbiguousJsonError(error.message, { cause: error }) : error,
    )
  }
  throw problem("", "The body must be an object.")
}

function problem(pointer: string, reason: string): InvalidRequestError {
  return new InvalidRequestError("The request does not match the schema.", { fields: [{ pointer, reason }] })
}
