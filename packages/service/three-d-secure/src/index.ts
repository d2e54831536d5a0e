export { AREQ_2_2_0, AREQ_2_3_1, type AReq } from "./three-d-secure/messages/areq.ts"
export type { ARes } from "./three-d-secure/messages/ares.ts"
export type { CReq, CRes } from "./three-d-secure/messages/challenge.ts"
export { createErro } from "./three-d-secure/messages/create-erro.ts"
export {
  decodeMessage,
  encodeMessage,
  MAX_SESSION_DATA_CHARACTERS,
} from "./three-d-secure/messages/encode-message.ts"
export type { Erro, ErrorCode3DS } from "./three-d-secure/messages/erro.ts"
export {
  readMethodNotification,
  readMethodRequest,
  writeMethodData,
} from "./three-d-secure/messages/method-data.ts"
export { parseMessage } from "./three-d-secure/messages/parse-message.ts"
export {
  readAReq,
  readARes,
  readCReq,
  readCRes,
  readRReq,
  readRRes,
  transactionIdOf,
} from "./three-d-secure/messages/read-message.ts"
export type { RReq, RRes } from "./three-d-secure/messages/results.ts"
export { schemaOf } from "./three-d-secure/messages/schema-of.ts"
export { type Transaction, transactionOf } from "./three-d-secure/messages/transaction.ts"
export {
  MESSAGE_TYPES,
  MESSAGE_VERSIONS,
  type MessageType,
  type MessageVersion,
} from "./three-d-secure/messages/versions.ts"
export {
  problemOfAReq,
  writeAReq,
  writeARes,
  writeCReq,
  writeCRes,
  writeErro,
  writeRReq,
  writeRRes,
} from "./three-d-secure/messages/write-message.ts"
export { hostedPage, postingPage } from "./three-d-secure/pages/hosted-page.ts"
