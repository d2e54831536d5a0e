import type { App } from "@sealway/platform"
import type { UnreadMessage } from "../../networks/messages/authenticate.ts"
import { createErro } from "../../three-d-secure/messages/create-erro.ts"
import type { Erro } from "../../three-d-secure/messages/erro.ts"
import { readRReq, transactionIdOf } from "../../three-d-secure/messages/read-message.ts"
import type { RReq, RRes } from "../../three-d-secure/messages/results.ts"
import { keepMessage } from "../record/keep-message.ts"
import type { Session } from "../record/session.ts"
import type { SessionDependencies } from "../record/session-dependencies.ts"
import { findSessionOfTransaction } from "../record/session-table.ts"
import { changeSession, followUp, transactionOfSession } from "./change-session.ts"

/**
 * Takes the results of a challenge, whose sender has been authenticated, and answers them. Results that come again are
 * answered again and change nothing, and so are those of a session that is decided.
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
  if (session?.progress.ares?.transStatus !== "C") {
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
  const rres = answerTo(reading.message)
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

function answerTo({ messageVersion, threeDSServerTransID, dsTransID, acsTransID }: RReq): RRes {
  const ids = { threeDSServerTransID, dsTransID, acsTransID }
  return { messageType: "RRes", messageVersion, ...ids, resultsStatus: "01" }
}
