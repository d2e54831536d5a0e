import type { Server } from "node:https"

type Answer = (request: never) => object | Promise<object>

export interface ConnectorOptions {
  /** 0 picks a free one. */
  readonly port: number
  /** PEM. */
  readonly key: string | Buffer
  /** PEM. */
  readonly cert: string | Buffer
  /** PEM: who issues the certificates of callers. */
  readonly clientCa: string | Buffer
  /** `whsec_…` */
  readonly secret: () => string
  readonly answers: Readonly<Record<string, Answer>>
  /** Told of each request that is signed. */
  readonly onRequest?: (request: { url: string }, body: string) => void
}

/** To whom, and as what, a message goes. */
export interface ToTell {
  /** Sealway's address, without a slash at the end. */
  readonly sealway: string
  readonly appId: string
  /** `whsec_…` */
  readonly secret: string
  /** Tells the message from others. */
  readonly id: string
}

/** What became of something that was asked for by a reference. */
interface NewsToTell extends ToTell {
  readonly reference: string
  /** Epoch milliseconds. Default: now. */
  readonly occurredAt?: number
}

export interface EnrolmentToTell extends NewsToTell {
  readonly enrolment: object
}

export interface CardToTell extends NewsToTell {
  readonly card: object
}

export interface TokenToTell extends NewsToTell {
  readonly token: object
}

export interface UpdateToTell extends NewsToTell {
  /** Counts the updates of the subscription, from 1. */
  readonly sequence: number
  readonly update: object
}

export interface SignalToTell extends NewsToTell {
  readonly signal: "retry-now" | "stop"
  readonly confidence: "low" | "medium" | "high"
}

export interface AlertToTell extends ToTell {
  readonly alert: object
  /** Epoch milliseconds. Default: now. */
  readonly occurredAt?: number
}

export interface ResultsToTell extends ToTell {
  readonly rreq: object
}

export function sign(secret: string, id: string, timestamp: string, body: string): string
export function createAnswers(options?: {
  decide?: (asked: { reference: string; service: string }) => object
  registerCard?: (asked: { reference: string; number: string }) => object
  subscribeUpdates?: (asked: { reference: string; number: string }) => object
  provisionToken?: (asked: { reference: string; card: { number: string } }) => object
  tokenStanding?: (asked: { reference: string }) => object
  watchRetry?: (asked: { reference: string; card: { number: string } }) => object
  answerAlert?: (asked: { reference: string; outcome: string }) => object
}): Readonly<Record<string, Answer>>
export function startConnector(options: ConnectorOptions): Promise<Server>
/** @returns the status of the answer */
export function tellEnrolment(told: EnrolmentToTell): Promise<number>
/** @returns the status of the answer */
export function tellResults(told: ResultsToTell): Promise<number>
/** @returns the status of the answer */
export function tellCard(told: CardToTell): Promise<number>
/** @returns the status of the answer */
export function tellToken(told: TokenToTell): Promise<number>
/** @returns the status of the answer */
export function tellUpdate(told: UpdateToTell): Promise<number>
/** @returns the status of the answer */
export function tellSignal(told: SignalToTell): Promise<number>
/** @returns the status of the answer */
export function tellAlert(told: AlertToTell): Promise<number>
