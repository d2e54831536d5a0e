import { showTimes } from "@sealway/bins"
import type * as z from "zod"
import { AUTHENTICATION_METHODS } from "../codes/authentication-methods.ts"
import { meaningOfEci } from "../codes/electronic-commerce-indicator.ts"
import { reasonDetail, statusDetail } from "../codes/status-details.ts"
import type { Progress, Session, SessionAcquirer, SessionMerchant } from "./session.ts"
import type {
  listedSessionSchema,
  SessionStatus,
  sessionMessagesSchema,
  sessionSchema,
} from "./session-schema.ts"
import { pageUrl } from "./session-urls.ts"

export function statusOf({ progress: { phase } }: Pick<Session, "progress">): SessionStatus {
  return phase === "success" || phase === "failure" ? phase : "action-required"
}

/** @param cryptogram null when there is none, or it has expired */
export function showSession(session: Session, cryptogram: string | null): z.infer<typeof sessionSchema> {
  const { details, transactionId, progress, pageToken } = session
  const { acquirer, challenge, serviceOrigin } = details
  const shown = {
    ...showListedFields(session),
    acquirer: showParty(acquirer),
    challenge: {
      preference: challenge.preference,
      ...(challenge.reason !== null && { reason: challenge.reason }),
    },
    threeDSServer: { transactionIdentifier: transactionId },
    ...showServers(session),
    ...(progress.ares !== null && {
      ares: { ...showStatus(progress.ares), cardholderInfo: progress.ares.cardholderInfo },
    }),
    cres: progress.cres && { transStatus: detailed(progress.cres.transStatus) },
    rreq: progress.rreq && showStatus(progress.rreq),
  }
  const decision = showDecision(session)
  switch (decision.status) {
    case "success":
      return { ...shown, ...decision, ...(cryptogram !== null && { cryptogram }) }
    case "failure":
      return { ...shown, ...decision }
    case "action-required":
      return {
        ...shown,
        ...decision,
        ...(pageToken !== null && {
          nextAction: { type: "use-sdk", url: pageUrl(serviceOrigin, pageToken) },
        }),
      }
  }
}

export function showListedSession(session: Session): z.infer<typeof listedSessionSchema> {
  return { ...showListedFields(session), ...showDecision(session) }
}

function showListedFields(session: Session) {
  const { merchant, card, payment, initiator, version } = session.details
  const { issuer, ...facts } = card
  return {
    id: session.id,
    merchant: showParty(merchant),
    card: { ...facts, ...(issuer !== undefined && { issuer }) },
    ...(payment !== null && { payment }),
    initiator: showInitiator(initiator),
    version,
    ...showTimes(session),
  }
}

/** A session fails with a reason, and succeeds with a flow and an indicator. */
function showDecision({ details, progress }: Session) {
  const { flow, methods, eci, failureReason } = progress
  if (failureReason !== null) return { status: "failure", failureReason } as const
  if (flow === null || eci === null) return { status: "action-required" } as const
  const known = AUTHENTICATION_METHODS.filter((method) => methods.includes(method))
  return {
    status: "success",
    authentication: { flow, ...(known.length > 0 && { methods: known }) },
    eci: meaningOfEci(details.card.brand, eci, details.initiator.type === "customer"),
  } as const
}

export function showMessages({ progress }: Session): z.infer<typeof sessionMessagesSchema> {
  return {
    messages: progress.messages.map(({ type, at, data }) => ({ type, created_at: at, createdAt: at, data })),
  }
}

function showParty<Party extends SessionMerchant | SessionAcquirer>({ id, ...party }: Party) {
  return { ...(id !== null && { id }), ...party }
}

function showInitiator(initiator: Session["details"]["initiator"]) {
  if (initiator.type === "customer") return initiator
  const { initialSession, ...others } = initiator
  return { ...others, ...(initialSession !== undefined && { initialSession }) }
}

function showServers({ details, progress }: Session) {
  const { acsTransID, dsTransID, acsReferenceNumber, dsReferenceNumber, acsOperatorID } = progress
  const { directoryServer } = details
  if (acsTransID === null || dsTransID === null || directoryServer === null) return {}
  return {
    accessControlServer: {
      transactionIdentifier: acsTransID,
      referenceNumber: acsReferenceNumber ?? "",
      operatorIdentifier: acsOperatorID,
    },
    directoryServer: {
      transactionIdentifier: dsTransID,
      referenceNumber: dsReferenceNumber ?? "",
      network: directoryServer === "diners-club" ? "discover" : directoryServer,
    },
  }
}

function showStatus({
  transStatus,
  transStatusReason,
}: Pick<NonNullable<Progress["rreq"]>, "transStatus" | "transStatusReason">) {
  const hasReason = transStatusReason !== null && ["N", "U", "R"].includes(transStatus)
  return {
    transStatus: detailed(transStatus),
    transStatusReason: hasReason
      ? { value: transStatusReason, detail: reasonDetail(transStatusReason) }
      : null,
  }
}

const detailed = (value: string) => ({ value, detail: statusDetail(value) })
