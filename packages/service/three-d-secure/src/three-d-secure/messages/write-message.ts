import type { AReq } from "./areq.ts"
import type { ARes } from "./ares.ts"
import type { CReq, CRes } from "./challenge.ts"
import type { Erro } from "./erro.ts"
import { MessageProblem } from "./message-problem.ts"
import { AREQ, ARES, CREQ, CRES, ERRO_SPEC, type MessageSpec, RREQ, RRES } from "./message-tables.ts"
import { checkMessage } from "./read-message.ts"
import type { RReq, RRes } from "./results.ts"
import { type Transaction, transactionOf } from "./transaction.ts"

/** A message of 3-D Secure of any type. */
export type Message = AReq | ARes | CReq | CRes | RReq | RRes | Erro

/** @throws TypeError naming the elements for which the receiver would refuse it */
export const writeAReq = (message: AReq): string => write(AREQ, message, null)

/**
 * Returns null when the AReq can be sent, else the invalid elements. For requests that are built from others' input.
 */
export function problemOfAReq(message: AReq): MessageProblem | null {
  try {
    checkMessage(AREQ, { ...message }, null)
    return null
  } catch (error) {
    if (error instanceof MessageProblem) return error
    throw error
  }
}

/** @param areq the answered request. @throws TypeError */
export const writeARes = (message: ARes, areq: AReq): string => write(ARES, message, transactionOf(areq))

/** @throws TypeError */
export const writeCReq = (message: CReq, transaction: Transaction): string =>
  write(CREQ, message, transaction)

/** @throws TypeError */
export const writeCRes = (message: CRes, transaction: Transaction): string =>
  write(CRES, message, transaction)

/** @throws TypeError */
export const writeRReq = (message: RReq, transaction: Transaction): string =>
  write(RREQ, message, transaction)

/** @throws TypeError */
export const writeRRes = (message: RRes, transaction: Transaction): string =>
  write(RRES, message, transaction)

/** @throws TypeError */
export const writeErro = (message: Erro): string => write(ERRO_SPEC, message, null)

function write<Type extends Message>(
  spec: MessageSpec<Type>,
  message: Type,
  transaction: Transaction | null,
): string {
  try {
    return JSON.stringify(checkMessage(spec, { ...message }, transaction))
  } catch (error) {
    if (!(error instanceof MessageProblem)) throw error
    throw new TypeError(`This ${spec.type} cannot be sent: ${error.code} ${error.detail}`, { cause: error })
  }
}
