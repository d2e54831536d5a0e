import type { App } from "@sealway/accounts"
import type { Erro, RRes } from "@sealway/three-d-secure"
import type {
  AuthenticateAnswer,
  AuthenticateRequest,
  ThreeDSRangeAnswer,
  ThreeDSRangeRequest,
  UnreadMessage,
} from "./messages/authenticate.ts"

/**
 * What Sealway, as a 3DS server, asks of directory servers. Both operations answer and fail as all of `CardNetwork`
 * does.
 */
export interface ThreeDSNetwork {
  /** Returns the versions for authenticating a number, and where its issuer takes browsers' fingerprints. */
  threeDSRange(request: ThreeDSRangeRequest): Promise<ThreeDSRangeAnswer>
  /**
   * Sends an AReq to the directory server. The answer is an unread ARes or Erro: parse it with `readARes`.
   *
   * The URLs in the request belong to this deployment. The sandbox's `acsURL` has the origin of `threeDSServerURL`.
   */
  authenticate(request: AuthenticateRequest): Promise<AuthenticateAnswer>
}

/**
 * Receives the unread RReq of an app's transaction, and answers it: with an RRes when the results are stored, or were
 * before, and with an Erro when they cannot be. Called by the sandbox's directory server and by a connector's event.
 */
export type ReceiveResults = (app: App, rreq: UnreadMessage) => Promise<RRes | Erro>
