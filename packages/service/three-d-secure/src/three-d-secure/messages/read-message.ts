import type { AReq } from "./areq.ts"
import type { ARes } from "./ares.ts"
import type { CReq, CRes } from "./challenge.ts"
import {
  type Facts,
  holds,
  isMissing,
  parseElements,
  presentElements,
  refuseElements,
  requireElements,
} from "./check-elements.ts"
import { createErro } from "./create-erro.ts"
import { listElements } from "./element-names.ts"
import type { ErrorComponent } from "./erro.ts"
import { MessageProblem } from "./message-problem.ts"
import { AREQ, ARES, CREQ, CRES, ERRO_SPEC, type MessageSpec, RREQ, RRES } from "./message-tables.ts"
import { isObject, parseMessage } from "./parse-message.ts"
import type { Reading } from "./reading.ts"
import type { RReq, RRes } from "./results.ts"
import type { Transaction } from "./transaction.ts"
import { MESSAGE_VERSIONS, type MessageVersion } from "./versions.ts"

/** An unread message: its text, or the object of its text without duplicate names. */
export type Incoming = string | Uint8Array | Readonly<Record<string, unknown>>

/** Reads the request that starts a transaction. */
export function readAReq(incoming: Incoming, reader: "D" | "A"): Reading<AReq> {
  return readMessage(AREQ, incoming, reader, null)
}

/** @param transaction that of the answered AReq */
export function readARes(
  incoming: Incoming,
  transaction: Transaction,
  reader: "S" | "D" = "S",
): Reading<ARes> {
  return readMessage(ARES, incoming, reader, transaction)
}

export function readCReq(incoming: Incoming, transaction: Transaction): Reading<CReq> {
  return readMessage(CREQ, incoming, "A", transaction)
}

/** Reads what a browser brought. It proves nothing, and an invalid one is not answered. */
export function readCRes(incoming: Incoming, transaction: Transaction): Reading<CRes> {
  return readMessage(CRES, incoming, "S", transaction)
}

export function readRReq(
  incoming: Incoming,
  transaction: Transaction,
  reader: "S" | "D" = "S",
): Reading<RReq> {
  return readMessage(RREQ, incoming, reader, transaction)
}

/** @param transaction that of the answered RReq */
export function readRRes(incoming: Incoming, transaction: Transaction, reader: "D" | "A"): Reading<RRes> {
  return readMessage(RRES, incoming, reader, transaction)
}

/** Returns the id by which a 3DS server finds a message's transaction; null when there is none. Checks nothing else. */
export function transactionIdOf(message: Readonly<Record<string, unknown>>): string | null {
  const id = Object.hasOwn(message, "threeDSServerTransID") ? message.threeDSServerTransID : null
  return typeof id === "string" && id.length === 36 ? id : null
}

function readMessage<Message>(
  spec: MessageSpec<Message>,
  incoming: Incoming,
  reader: ErrorComponent,
  transaction: Transaction | null,
): Reading<Message> {
  let message: Facts = {}
  try {
    const isText = typeof incoming === "string" || incoming instanceof Uint8Array
    message = isText ? parseMessage(incoming) : incoming
    if (typeOf(message) === "Erro") return { kind: "error", erro: checkMessage(ERRO_SPEC, message, null) }
    return { kind: "message", message: checkMessage(spec, message, transaction) }
  } catch (error) {
    if (!(error instanceof MessageProblem)) throw error
    const answer = createErro(error, { reader, type: spec.type, message, transaction })
    return { kind: "invalid", answer }
  }
}

/**
 * Checks a message in EMVCo's order: that its type is expected, that it belongs to the transaction, then each element.
 *
 * @throws MessageProblem
 */
export function checkMessage<Message>(
  spec: MessageSpec<Message>,
  message: Facts,
  transaction: Transaction | null,
): Message {
  if (typeOf(message) !== spec.type) throw new MessageProblem("101", "messageType")
  const version = spec.type === "Erro" ? "2.3.1" : versionOf(message, transaction)
  const fields = spec.tables[version]
  const elements = presentElements(message, fields)
  // A message cannot override what is known about its transaction.
  const facts: Facts = { ...elements, ...transaction }
  requireKnownExtensions(elements)
  requireElements(fields, elements, facts)
  const parsed = parseElements(spec.schemas[version], elements)
  requireTransaction(elements, transaction)
  requireStatus(spec, facts)
  refuseElements(fields, elements, facts)
  return parsed
}

function typeOf(message: Facts): unknown {
  return Object.hasOwn(message, "messageType") ? message.messageType : undefined
}

function versionOf(message: Facts, transaction: Transaction | null): MessageVersion {
  const version = Object.hasOwn(message, "messageVersion") ? message.messageVersion : undefined
  if (isMissing(version)) throw new MessageProblem("201", "messageVersion")
  if (typeof version !== "string" || !/^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{1,2}$/.test(version)) {
    throw new MessageProblem("203", "messageVersion")
  }
  const known = MESSAGE_VERSIONS.find((each) => each === version)
  if (known === undefined) throw new MessageProblem("102", MESSAGE_VERSIONS.join(","))
  if (transaction !== null && known !== transaction.messageVersion) {
    throw new MessageProblem("203", "messageVersion")
  }
  return known
}

/** Sealway supports no extension: critical ones are refused, others ignored. */
function requireKnownExtensions({ messageExtension }: Facts): void {
  if (!Array.isArray(messageExtension)) return
  const isCritical = messageExtension.some((each) => isObject(each) && each.criticalityIndicator === true)
  if (isCritical) throw new MessageProblem("202", "messageExtension")
}

const IDS = ["threeDSServerTransID", "dsTransID", "acsTransID"] as const

function requireTransaction(elements: Facts, transaction: Transaction | null): void {
  if (transaction === null) return
  const others = IDS.filter((name) => {
    const [known, given] = [transaction[name], elements[name]]
    return known !== undefined && given !== undefined && String(given).toLowerCase() !== known.toLowerCase()
  })
  if (others.length > 0) throw new MessageProblem("301", listElements(others))
  const { messageCategory } = elements
  if (messageCategory !== undefined && messageCategory !== transaction.messageCategory) {
    throw new MessageProblem("203", "messageCategory")
  }
}

function requireStatus({ statuses }: MessageSpec<unknown>, facts: Facts): void {
  const { transStatus } = facts
  if (statuses === null || typeof transStatus !== "string") return
  const rule = Object.hasOwn(statuses, transStatus) ? statuses[transStatus] : undefined
  const isAllowed = rule?.allowedWhen.some((each) => holds(each, facts)) ?? false
  const isRefused = rule?.refusedWhen?.some((each) => holds(each, facts)) ?? false
  if (!isAllowed || isRefused) throw new MessageProblem("203", "transStatus")
}
