import type { ARes, CRes, RReq } from "@sealway/three-d-secure"
import { authenticationMethodsOf } from "../codes/authentication-methods.ts"
import { eciOf } from "../codes/electronic-commerce-indicator.ts"
import { type FailureReason, failureReasonOf } from "../codes/failure-reason.ts"
import { keepMessage } from "../record/keep-message.ts"
import {
  type BrowserFacts,
  type KeptMessage,
  type Phase,
  type Progress,
  SESSION_MS,
  type Session,
  type SessionDetails,
} from "../record/session.ts"
import { challengeRequestOf } from "./challenge-request.ts"

/** An event of a session. `atMs` is epoch milliseconds. */
export type SessionEvent = { readonly atMs: number } & (
  | { readonly type: "browser-known"; readonly browser: BrowserFacts; readonly frame: Progress["frame"] }
  | { readonly type: "fingerprinted"; readonly fingerprint: "complete" | "timeout" }
  /** A process is about to send the request, and no other may until then. */
  | { readonly type: "claimed"; readonly untilMs: number; readonly areq: KeptMessage | null }
  | { readonly type: "answered"; readonly ares: ARes }
  /** The network answered with an error, or not at all. */
  | { readonly type: "refused"; readonly reason: FailureReason; readonly erro: KeptMessage | null }
  | { readonly type: "results"; readonly rreq: RReq; readonly rres: KeptMessage }
  /** A browser's claim about the result of the challenge. It decides nothing. */
  | { readonly type: "returned"; readonly cres: CRes }
  /** The page abandons the session. */
  | { readonly type: "left"; readonly reason: "cancelled" | "failed-authentication" | "challenge-required" }
  | { readonly type: "expired" }
)

type EventOf<Type extends SessionEvent["type"]> = Extract<SessionEvent, { readonly type: Type }>
type Step<Type extends SessionEvent["type"]> = (
  progress: Progress,
  event: EventOf<Type>,
  details: SessionDetails,
) => Progress
type Steps = { readonly [Type in SessionEvent["type"]]?: Step<Type> }

/** The phases that can follow each phase. Final ones have none. */
export const NEXT_PHASES: Readonly<Record<Phase, readonly Phase[]>> = {
  browser: ["fingerprint", "request", "failure"],
  fingerprint: ["request", "failure"],
  request: ["challenge", "success", "failure"],
  challenge: ["success", "failure"],
  success: [],
  failure: [],
}

const left: Step<"left"> = (progress, { reason }) => failed(progress, reason)
const expired: Step<"expired"> = (progress, { atMs }) =>
  atMs >= progress.deadlineAt ? failed(progress, "authentication-timed-out") : progress

/**
 * The effect of each event in each phase. An event that a phase does not list has no effect. Only `answered` and
 * `results`, which come from issuers, lead to success. What issuers say about an already failed session is recorded,
 * and decides nothing.
 */
const STEPS: Readonly<Record<Phase, Steps>> = {
  browser: { "browser-known": browserKnown, left, expired },
  fingerprint: { fingerprinted, left, expired },
  request: { claimed, answered, refused, left, expired },
  challenge: { results, returned, left, expired },
  success: { returned },
  failure: { returned, answered: answeredLate, results: resultsLate },
}

/** Returns the session after an event; the same object when the event has no effect. */
export function afterSessionEvent(session: Session, event: SessionEvent): Session {
  const { details, progress, createdAt } = session
  const after = stepOf(STEPS[progress.phase], progress, event, details)
  if (after === progress) return session
  const isAnswered = after.phase !== "browser" && after.phase !== "fingerprint" && after.phase !== "request"
  return {
    ...session,
    // Data that only the request needed is removed.
    progress: isAnswered ? { ...after, browser: null, claimedUntil: 0 } : after,
    number: isAnswered ? null : session.number,
    updatedAt: Math.max(event.atMs, createdAt),
  }
}

function stepOf(steps: Steps, progress: Progress, event: SessionEvent, details: SessionDetails): Progress {
  switch (event.type) {
    case "browser-known":
      return steps["browser-known"]?.(progress, event, details) ?? progress
    case "fingerprinted":
      return steps.fingerprinted?.(progress, event, details) ?? progress
    case "claimed":
      return steps.claimed?.(progress, event, details) ?? progress
    case "answered":
      return steps.answered?.(progress, event, details) ?? progress
    case "refused":
      return steps.refused?.(progress, event, details) ?? progress
    case "results":
      return steps.results?.(progress, event, details) ?? progress
    case "returned":
      return steps.returned?.(progress, event, details) ?? progress
    case "left":
      return steps.left?.(progress, event, details) ?? progress
    case "expired":
      return steps.expired?.(progress, event, details) ?? progress
  }
}

function failed(progress: Progress, failureReason: FailureReason): Progress {
  return { ...progress, phase: "failure", failureReason }
}

function browserKnown(
  progress: Progress,
  { browser, frame }: EventOf<"browser-known">,
  { obstacle, methodUrl }: SessionDetails,
): Progress {
  const known = { ...progress, browser, frame }
  if (obstacle !== null) return failed(known, obstacle)
  // Without scripts, the end of fingerprinting cannot be detected.
  return { ...known, phase: methodUrl !== null && browser.javaScriptEnabled ? "fingerprint" : "request" }
}

function fingerprinted(progress: Progress, { fingerprint }: EventOf<"fingerprinted">): Progress {
  return { ...progress, phase: "request", fingerprint }
}

function claimed(progress: Progress, { atMs, untilMs, areq }: EventOf<"claimed">): Progress {
  if (progress.claimedUntil > atMs) return progress
  const isKept = progress.messages.some(({ type }) => type === "AReq")
  return { ...progress, claimedUntil: untilMs, messages: withMessages(progress, isKept ? null : areq) }
}

function refused(progress: Progress, { reason, erro }: EventOf<"refused">): Progress {
  return failed({ ...progress, messages: withMessages(progress, erro) }, reason)
}

function answered(
  progress: Progress,
  { ares, atMs }: EventOf<"answered">,
  details: SessionDetails,
): Progress {
  const known = withAnswer(progress, ares, atMs)
  switch (ares.transStatus) {
    case "Y":
    case "I":
      return succeeded(known, "frictionless", ares, details)
    case "A":
      return succeeded(known, "attempt", ares, details)
    case "C":
      return challenged(known, ares, atMs, details)
    default:
      return failed(known, failureReasonOf(ares))
  }
}

function challenged(
  known: Progress,
  { acsURL, threeDSServerTransID, acsTransID }: ARes,
  atMs: number,
  { version, initiator }: SessionDetails,
): Progress {
  if (acsURL === undefined || initiator.type === "merchant") return failed(known, "protocol-error")
  const creq = challengeRequestOf({ version, threeDSServerTransID, acsTransID, frame: known.frame })
  return {
    ...known,
    phase: "challenge",
    acsUrl: acsURL,
    deadlineAt: atMs + SESSION_MS,
    messages: withMessages(known, keepMessage(creq, atMs)),
  }
}

/** The session failed while the network was asked: its page was left, or its time was over. */
function answeredLate(progress: Progress, { ares, atMs }: EventOf<"answered">): Progress {
  return progress.ares === null ? withAnswer(progress, ares, atMs) : progress
}

function withAnswer(progress: Progress, ares: ARes, atMs: number): Progress {
  const { transStatus, transStatusReason = null, cardholderInfo } = ares
  return {
    ...progress,
    acsTransID: ares.acsTransID,
    dsTransID: ares.dsTransID,
    acsReferenceNumber: ares.acsReferenceNumber,
    dsReferenceNumber: ares.dsReferenceNumber,
    acsOperatorID: ares.acsOperatorID ?? null,
    ares: {
      // For a non-payment, a network may omit the status: then it has authenticated nobody.
      transStatus: transStatus ?? "U",
      transStatusReason,
      cardholderInfo: (typeof cardholderInfo === "string" ? cardholderInfo : cardholderInfo?.text) ?? null,
    },
    messages: withMessages(progress, keepMessage(ares, atMs)),
  }
}

function results(progress: Progress, event: EventOf<"results">, details: SessionDetails): Progress {
  const { rreq } = event
  const known = withResults(progress, event)
  if (rreq.challengeCancel !== undefined) return failed(known, failureReasonOf(rreq))
  const methods = { ...known, methods: [...authenticationMethodsOf(rreq)] }
  if (rreq.transStatus === "Y") return succeeded(methods, "challenge", rreq, details)
  if (rreq.transStatus === "A") return succeeded(known, "attempt", rreq, details)
  return failed(known, failureReasonOf(rreq))
}

/** The page abandoned the session before the issuer reported, or its time was over. */
function resultsLate(progress: Progress, event: EventOf<"results">): Progress {
  return progress.rreq === null ? withResults(progress, event) : progress
}

function withResults(progress: Progress, { rreq, rres, atMs }: EventOf<"results">): Progress {
  return {
    ...progress,
    rreq: { transStatus: rreq.transStatus ?? "U", transStatusReason: rreq.transStatusReason ?? null },
    messages: withMessages(progress, keepMessage(rreq, atMs), rres),
  }
}

/** It comes once, and only when a challenge was requested. */
function returned(progress: Progress, { cres, atMs }: EventOf<"returned">): Progress {
  if (progress.cres !== null || progress.ares?.transStatus !== "C") return progress
  return {
    ...progress,
    cres: { transStatus: cres.transStatus ?? "N", transStatusReason: null },
    messages: withMessages(progress, keepMessage(cres, atMs)),
  }
}

function succeeded(
  progress: Progress,
  flow: NonNullable<Progress["flow"]>,
  said: { readonly eci?: string | undefined; readonly transStatus?: string | undefined },
  { card }: SessionDetails,
): Progress {
  return { ...progress, phase: "success", flow, eci: eciOf(card.brand, said) }
}

function withMessages({ messages }: Progress, ...more: readonly (KeptMessage | null)[]): KeptMessage[] {
  return [...messages, ...more.flatMap((each) => (each === null ? [] : [each]))]
}
