import type { App } from "@sealway/accounts"
import {
  createErro,
  parseMessage,
  readAReq,
  readARes,
  readRReq,
  readRRes,
  type Transaction,
  transactionOf,
  writeAReq,
  writeErro,
  writeRRes,
} from "@sealway/three-d-secure"
import type { ReceiveResults } from "../../three-d-secure-network.ts"
import { sandboxIds } from "./sandbox-ids.ts"
import { sandboxOutcome } from "./sandbox-outcome.ts"

const REFERENCE_NUMBER = "SEALWAY_SANDBOX_DS"

export interface DirectoryServerDependencies {
  /** The app's own key, 32 bytes. */
  readonly key: () => Promise<Uint8Array>
  /** Sends the text of an AReq to the access control server and returns that of an ARes or an Erro. */
  readonly askIssuer: (areq: string) => Promise<string>
}

/** Forwards an AReq to the issuer, or refuses it. @returns the text of an ARes or an Erro */
export async function forwardAReq(
  text: string,
  { key, askIssuer }: DirectoryServerDependencies,
): Promise<string> {
  const reading = readAReq(text, "D")
  if (reading.kind === "invalid") return writeErro(reading.answer)
  const context = { reader: "D", type: "AReq", transaction: null } as const
  if (reading.kind === "error") {
    return writeErro(createErro({ code: "101", detail: "messageType" }, { ...context, message: {} }))
  }
  const areq = reading.message
  const outcome = sandboxOutcome(areq)
  if (outcome.type === "error") return writeErro(createErro(outcome, { ...context, message: areq }))
  const { dsTransID } = sandboxIds(await key(), areq.threeDSServerTransID)
  const answer = await askIssuer(writeAReq({ ...areq, dsTransID, dsReferenceNumber: REFERENCE_NUMBER }))
  const answered = readARes(answer, { ...transactionOf(areq), dsTransID }, "D")
  return answered.kind === "invalid" ? writeErro(answered.answer) : answer
}

/**
 * Forwards an RReq from the issuer to the 3DS server, which is this deployment.
 *
 * @returns the text of an RRes or an Erro
 */
export async function forwardRReq(
  text: string,
  transaction: Transaction,
  app: App,
  receiveResults: ReceiveResults,
): Promise<string> {
  const reading = readRReq(text, transaction, "D")
  if (reading.kind === "invalid") return writeErro(reading.answer)
  const answer = await receiveResults(app, parseMessage(text))
  if (answer.messageType === "Erro") return writeErro(answer)
  const answered = readRRes({ ...answer }, transaction, "D")
  return answered.kind === "invalid" ? writeErro(answered.answer) : writeRRes(answer, transaction)
}
