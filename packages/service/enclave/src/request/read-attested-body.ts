import {
  AmbiguousJsonError,
  InvalidRequestError,
  jsonProblem,
  MB,
  type MemberRange,
  PayloadTooLargeError,
  RepeatedMemberError,
  readMembersInSteps,
  type Work,
} from "@sealway/kernel"
import { MAX_ATTESTATION_BYTES } from "../attestation/limits.ts"

/** The largest `data`. Encrypted for the enclave it is a third longer, and must fit into the 6 MB that Lambda returns. */
export const MAX_DATA_BYTES = 4 * MB

/** A request of an enclave. */
export interface AttestedBody {
  readonly attestation: Buffer
  /** The place of `data` in the body. */
  readonly data: MemberRange
}

const BASE64 = /^"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"$/
const MAX_BASE64_CHARACTERS = Math.ceil(MAX_ATTESTATION_BYTES / 3) * 4

/**
 * Finds the fields of `{attestation, data}`. What is in the attestation is not read.
 *
 * @throws InvalidRequestError when the body is anything else, PayloadTooLargeError when `data` is too large
 */
export function* readAttestedBody(body: Buffer): Work<AttestedBody> {
  const members = yield* membersOf(body)
  for (const name of members.keys()) {
    if (name !== "attestation" && name !== "data") {
      throw problem("", "Unknown field. Allowed fields: attestation, data.")
    }
  }
  const [attestation, data] = [members.get("attestation"), members.get("data")]
  if (data === undefined) throw problem("/data", "This field is required.")
  if (data.end - data.start > MAX_DATA_BYTES) throw new PayloadTooLargeError("The field data may have 4 MB.")
  const reason = `This must be a string: an attestation document of at most ${MAX_ATTESTATION_BYTES} bytes, in base64.`
  if (attestation === undefined) throw problem("/attestation", reason)
  const { start, end } = attestation
  if (end - start > MAX_BASE64_CHARACTERS + 2) throw problem("/attestation", reason)
  const literal = body.toString("latin1", start, end)
  if (!BASE64.test(literal)) throw problem("/attestation", reason)
  return { attestation: Buffer.from(literal.slice(1, -1), "base64"), data }
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
