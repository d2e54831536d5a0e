import type { CReq, MessageVersion } from "@sealway/three-d-secure"
import { challengeWindowSize } from "../areq/areq-browser.ts"
import type { Progress } from "../record/session.ts"

/** A transaction whose issuer requests a challenge, and the challenge's frame. */
export interface ChallengedTransaction {
  readonly version: MessageVersion
  readonly threeDSServerTransID: string
  readonly acsTransID: string
  readonly frame: Progress["frame"]
}

/** Builds the challenge request for a browser to post to the issuer: always the same one. */
export function challengeRequestOf(transaction: ChallengedTransaction): CReq {
  const { version, threeDSServerTransID, acsTransID, frame } = transaction
  const elements = {
    messageType: "CReq",
    threeDSServerTransID,
    acsTransID,
    challengeWindowSize: challengeWindowSize(frame),
  } as const
  // Each version is a separate message type.
  return version === "2.2.0"
    ? { ...elements, messageVersion: "2.2.0" }
    : { ...elements, messageVersion: "2.3.1" }
}
