import type { CReq } from "../../three-d-secure/messages/challenge.ts"
import type { MessageVersion } from "../../three-d-secure/messages/versions.ts"
import { challengeWindowSize } from "../areq/areq-browser.ts"
import type { Progress } from "../record/session.ts"

/** A transaction whose issuer asks for a challenge, and the frame that it is shown in. */
export interface ChallengedTransaction {
  readonly version: MessageVersion
  readonly threeDSServerTransID: string
  readonly acsTransID: string
  readonly frame: Progress["frame"]
}

/** The challenge request that a browser is given to post to the issuer: the same one however often it is built. */
export function challengeRequestOf(transaction: ChallengedTransaction): CReq {
  const { version, threeDSServerTransID, acsTransID, frame } = transaction
  const elements = {
    messageType: "CReq",
    ...{ threeDSServerTransID, acsTransID, challengeWindowSize: challengeWindowSize(frame) },
  } as const
  // Each version is a type of message.
  return version === "2.2.0"
    ? { ...elements, messageVersion: "2.2.0" }
    : { ...elements, messageVersion: "2.3.1" }
}
