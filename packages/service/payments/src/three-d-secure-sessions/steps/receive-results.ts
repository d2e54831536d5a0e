import type { App } from "@sealway/accounts"
import {
  createErro,
  type Erro,
  type RReq,
  type RRes,
  readRReq,
  transactionIdOf,
} from "@sealway/three-d-secure"
import type { UnreadMessage } from "../../networks/messages/authenticate.ts"
import { keepMessage } from "../record/keep-message.ts"
import type { Session } from "../record/session.ts"
import type { SessionDependencies } from "../record/session-dependencies.ts"
import { findSessionOfTransaction } from "../record/session-table.ts"
import { changeSession, followUp, transactionOfSession } from "./change-session.ts"

/**
 * Processes a challenge's results, whose sender is authenticated, and answers them. Repeated results are answered again
 * without effect. Those of a failed session are answered too, and do not revive it.
 */
export async function receiveResults(
  dependencies: SessionDependencies,
  app: App,
  message: UnreadMessage,
): Promise<RRes | Erro> {
  const transactionId = transactionIdOf(message)
  const found =
    transactionId === null ? null : await findSessionOfTransaction(dependencies, app, transactionId)
  const session = found && (await followUp(dependencies, app, found))
  if (session === null || !mayHaveResults(session)) {
    return createErro(
      { code: "301", detail: "threeDSServerTransID" },
      { reader: "S", type: "RReq", message, transaction: null },
    )
  }
  const transaction = transactionOfSession(session)
  const reading = readRReq(message, transaction)
  if (reading.kind === "invalid") return reading.answer
  if (reading.kind === "error") {
    return createErro(
      { code: "101", detail: "messageType" },
      { reader: "S", type: "RReq", message, transaction },
    )
  }
  const rres = answerTo(reading.message, resultsStatusOf(session))
  await take(dependencies, app, session, reading.message, rres)
  return rres
}

async function take(
  dependencies: SessionDependencies,
  app: App,
  session: Session,
  rreq: RReq,
  rres: RRes,
): Promise<void> {
  const atMs = dependencies.wallClock()
  const event = { type: "results", rreq, rres: keepMessage(rres, atMs), atMs } as const
  await changeSession(dependencies, app, session, { event, cryptogram: rreq.authenticationValue ?? null })
}

/** Whether the issuer may have requested a challenge: it did, or its answer to our request has not arrived. */
function mayHaveResults({ progress: { ares, messages } }: Session): boolean {
  return ares === null ? messages.some(({ type }) => type === "AReq") : ares.transStatus === "C"
}

/**
 * Returns `resultsStatus`: the results are accepted, the cardholder was never sent to the challenge, or we never knew
 * of it.
 */
function resultsStatusOf({ progress: { ares, acsUrl, failureReason } }: Session): "01" | "02" | "03" {
  if (ares === null) return "03"
  return acsUrl === null || failureReason === "challenge-required" ? "02" : "01"
}

function answerTo(
  { messageVersion, threeDSServerTransID, dsTransID, acsTransID }: RReq,
  resultsStatus: RRes["resultsStatus"],
): RRes {
  const ids = { threeDSServerTransID, dsTransID, acsTransID }
  return { messageType: "RRes", messageVersion, ...ids, resultsStatus }
}
