import type { App } from "@sealway/accounts"
import { type AReq, problemOfAReq, readARes, transactionOf } from "@sealway/three-d-secure"
import { buildAReq } from "../areq/build-areq.ts"
import { type FailureReason, failureReasonOfError } from "../codes/failure-reason.ts"
import { keepMessage } from "../record/keep-message.ts"
import type { Session } from "../record/session.ts"
import type { SessionDependencies } from "../record/session-dependencies.ts"
import { resultsProof } from "../record/session-urls.ts"
import type { SessionEvent } from "./session-steps.ts"

/** The effect of a network's answer on a session, and its proof of authentication. */
export interface NetworkAnswer {
  readonly event: SessionEvent
  readonly cryptogram: string | null
}

/** Builds the request of a session; null when its number is gone because it was answered. */
export async function requestOf(
  { keyring }: Pick<SessionDependencies, "keyring">,
  app: App,
  session: Session,
): Promise<AReq | null> {
  const { number, transactionId } = session
  if (number === null) return null
  return buildAReq({ session, number, resultsProof: await resultsProof(keyring, app, transactionId) })
}

/** Asks the directory server. Never throws: a failed request, or an invalid answer, fails the session. */
export async function askDirectoryServer(
  { cardNetworkOf, wallClock, log }: Pick<SessionDependencies, "cardNetworkOf" | "wallClock" | "log">,
  app: App,
  { id, details: { directoryServer } }: Session,
  areq: AReq,
): Promise<NetworkAnswer> {
  const refused = (reason: FailureReason, erro: object | null = null): NetworkAnswer => {
    const atMs = wallClock()
    const kept = erro && keepMessage({ ...erro, messageType: "Erro" }, atMs)
    return { event: { type: "refused", reason, erro: kept, atMs }, cryptogram: null }
  }
  const problem = problemOfAReq(areq)
  if (problem !== null || directoryServer === null) {
    if (problem?.detail.includes("acctNumber")) return refused("invalid-card-details")
    return refused(problem?.code === "201" ? "required-data-element-missing" : "protocol-error")
  }
  try {
    const { message } = await cardNetworkOf(app, wallClock).authenticate({ directoryServer, areq })
    const reading = readARes(message, transactionOf(areq))
    if (reading.kind === "error") return refused(failureReasonOfError(reading.erro), reading.erro)
    if (reading.kind === "invalid") return refused("protocol-error", reading.answer)
    const { message: ares } = reading
    return {
      event: { type: "answered", ares, atMs: wallClock() },
      cryptogram: ares.authenticationValue ?? null,
    }
  } catch (error) {
    log.warn("could not reach a directory server", { requestId: id, error })
    return refused("directory-server-unavailable")
  }
}
