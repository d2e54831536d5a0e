import type { App } from "@sealway/platform"
import type { Erro } from "../three-d-secure/messages/erro.ts"
import type { RRes } from "../three-d-secure/messages/results.ts"
import type {
  AuthenticateAnswer,
  AuthenticateRequest,
  ThreeDSRangeAnswer,
  ThreeDSRangeRequest,
  UnreadMessage,
} from "./messages/authenticate.ts"

/** What Sealway, as a 3DS server, asks of directory servers. Both answer and fail as all of `CardNetwork` does. */
export interface ThreeDSNetwork {
  /** Which versions a number can be authenticated by, and where its issuer takes fingerprints of browsers. */
  threeDSRange(request: ThreeDSRangeRequest): Promise<ThreeDSRangeAnswer>
  /**
   * Sends an AReq to the directory server. The answer is an ARes or an Erro that nobody has read: `readARes` does.
   *
   * The URLs that the request names are of this deployment. The sandbox's `acsURL` has the origin of `threeDSServerURL`.
   */
  authenticate(request: AuthenticateRequest): Promise<AuthenticateAnswer>
}

/**
 * Takes the RReq of an app's transaction, as it came, and answers it: an RRes when the results are kept, or were before,
 * and an Erro when they cannot be. The sandbox's directory server calls it; so does a connector's event.
 */
export type ReceiveResults = (app: App, rreq: UnreadMessage) => Promise<RRes | Erro>
