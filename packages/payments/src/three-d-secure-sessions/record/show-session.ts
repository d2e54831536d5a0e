import * as z from "zod"
import { directoryServerSchema } from "../../networks/messages/authenticate.ts"
import {
  brandSchema,
  createdAtSchema,
  expirySchema,
  fundingSchema,
  segmentSchema,
  showTimes,
  updatedAtSchema,
} from "../../schemas/common.ts"
import { MESSAGE_TYPES, MESSAGE_VERSIONS } from "../../three-d-secure/messages/versions.ts"
import { AUTHENTICATION_METHODS } from "../codes/authentication-methods.ts"
import { ECI_DESCRIPTORS, meaningOfEci } from "../codes/electronic-commerce-indicator.ts"
import { FAILURE_REASONS } from "../codes/failure-reason.ts"
import { reasonDetail, statusDetail } from "../codes/status-details.ts"
import {
  CHALLENGE_PREFERENCES,
  INITIATOR_REASONS,
  NO_CHALLENGE_REASONS,
  paymentSchema,
} from "../start/session-request.ts"
import type { Progress, Session, SessionAcquirer, SessionMerchant } from "./session.ts"
import { pageUrl } from "./session-urls.ts"

/** 3-D Secure treats Diners Club cards as Discover cards. */
const NETWORKS = directoryServerSchema.exclude(["diners-club"]).options

export const SESSION_STATUSES = ["action-required", "success", "failure"] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

const detailedSchema = z.lazy(() => z.object({ value: z.string(), detail: z.string() }))
const transactionSchema = z.object({ transactionIdentifier: z.string() })
const serverSchema = transactionSchema.extend({ referenceNumber: z.string() })

/** A 3-D Secure session as the API returns it. */
export const sessionSchema = z.lazy(() =>
  z
    .object({
      id: z.string(),
      merchant: z.object({
        id: z.string().exactOptional(),
        ...{ name: z.string(), website: z.string(), categoryCode: z.string(), country: z.string() },
      }),
      card: z.object({
        lastFour: z.string(),
        expiry: expirySchema,
        brand: brandSchema.nullable(),
        funding: fundingSchema.nullable(),
        segment: segmentSchema.nullable(),
        country: z.string().nullable(),
        currency: z.string().nullable(),
        issuer: z.string().exactOptional(),
      }),
      acquirer: z.object({
        id: z.string().exactOptional(),
        ...{ bin: z.string(), merchantIdentifier: z.string(), country: z.string() },
      }),
      payment: paymentSchema.exactOptional().describe("Absent for authentication without a payment"),
      challenge: z.object({
        preference: z.enum(CHALLENGE_PREFERENCES),
        reason: z.enum(NO_CHALLENGE_REASONS).exactOptional(),
      }),
      initiator: z.object({
        type: z.enum(["customer", "merchant"]),
        reason: z.enum(INITIATOR_REASONS).exactOptional(),
        initialSession: z.string().exactOptional(),
      }),
      version: z.enum(MESSAGE_VERSIONS),
      status: z.enum(SESSION_STATUSES),
      nextAction: z
        .object({
          type: z.literal("use-sdk"),
          url: z.string().describe("Opens the session in a browser without an SDK: once, within ten minutes"),
        })
        .exactOptional()
        .describe("Present with the status action-required"),
      authentication: z
        .object({
          flow: z.enum(["frictionless", "challenge", "attempt"]),
          methods: z.array(z.enum(AUTHENTICATION_METHODS)).exactOptional(),
        })
        .exactOptional()
        .describe("With success"),
      cryptogram: z.string().exactOptional().describe("Base64. Available for one hour after success"),
      eci: z
        .object({ value: z.string(), descriptor: z.enum(ECI_DESCRIPTORS), liabilityShift: z.boolean() })
        .exactOptional()
        .describe("With success"),
      threeDSServer: transactionSchema,
      accessControlServer: serverSchema.extend({ operatorIdentifier: z.string().nullable() }).exactOptional(),
      directoryServer: serverSchema
        .extend({ network: z.enum(NETWORKS) })
        .exactOptional()
        .describe("Present once the network has responded"),
      ares: z
        .object({
          transStatus: detailedSchema,
          transStatusReason: detailedSchema.nullable(),
          cardholderInfo: z.string().nullable().describe("Show this text to the cardholder"),
        })
        .exactOptional(),
      cres: z
        .object({ transStatus: detailedSchema })
        .nullable()
        .describe("The CRes that the browser sent after a challenge. It does not affect the outcome"),
      rreq: z
        .object({ transStatus: detailedSchema, transStatusReason: detailedSchema.nullable() })
        .nullable()
        .describe("The issuer's results of a challenge"),
      failureReason: z.enum(FAILURE_REASONS).exactOptional().describe("With failure"),
      createdAt: createdAtSchema,
      updatedAt: updatedAtSchema,
    })
    .meta({ id: "ThreeDSSession" }),
)

/** A session in a list: what support and reports need, without what opens it in a browser or proves it. */
export const listedSessionSchema = z.lazy(() =>
  sessionSchema
    .unwrap()
    .pick({
      ...{
        id: true,
        merchant: true,
        card: true,
        payment: true,
        initiator: true,
        version: true,
        status: true,
      },
      ...{ authentication: true, eci: true, failureReason: true, createdAt: true, updatedAt: true },
    })
    .meta({ id: "ListedThreeDSSession" }),
)

export const sessionMessagesSchema = z.lazy(() =>
  z
    .object({
      messages: z.array(
        z.object({
          type: z.enum(MESSAGE_TYPES),
          created_at: createdAtSchema,
          createdAt: createdAtSchema,
          data: z
            .record(z.string(), z.unknown())
            .describe(
              "The message, with the card number masked to its last four digits and without the cryptogram",
            ),
        }),
      ),
    })
    .meta({ id: "ThreeDSMessages" }),
)

export function statusOf({ progress: { phase } }: Pick<Session, "progress">): SessionStatus {
  return phase === "success" || phase === "failure" ? phase : "action-required"
}

/** @param cryptogram null when there is none, or it has expired */
export function showSession(session: Session, cryptogram: string | null): z.infer<typeof sessionSchema> {
  const { id, details, transactionId, progress, pageToken } = session
  const { merchant, card, acquirer, payment, challenge, initiator, version, serviceOrigin } = details
  const { issuer, ...facts } = card
  const status = statusOf(session)
  return {
    id,
    merchant: showParty(merchant),
    card: { ...facts, ...(issuer !== undefined && { issuer }) },
    acquirer: showParty(acquirer),
    ...(payment !== null && { payment }),
    challenge: {
      preference: challenge.preference,
      ...(challenge.reason !== null && { reason: challenge.reason }),
    },
    initiator: showInitiator(initiator),
    version,
    status,
    ...(status === "action-required" &&
      pageToken !== null && {
        nextAction: { type: "use-sdk", url: pageUrl(serviceOrigin, pageToken) } as const,
      }),
    ...(status === "success" && showSuccess(session, cryptogram)),
    threeDSServer: { transactionIdentifier: transactionId },
    ...showServers(session),
    ...(progress.ares !== null && {
      ares: { ...showStatus(progress.ares), cardholderInfo: progress.ares.cardholderInfo },
    }),
    cres: progress.cres && { transStatus: detailed(progress.cres.transStatus) },
    rreq: progress.rreq && showStatus(progress.rreq),
    ...(progress.failureReason !== null && { failureReason: progress.failureReason }),
    ...showTimes(session),
  }
}

export function showListedSession(session: Session): z.infer<typeof listedSessionSchema> {
  const { id, merchant, card, payment, initiator, version, status, ...rest } = showSession(session, null)
  const { authentication, eci, failureReason } = rest
  return {
    ...{ id, merchant, card, initiator, version, status },
    ...(payment !== undefined && { payment }),
    ...(authentication !== undefined && { authentication }),
    ...(eci !== undefined && { eci }),
    ...(failureReason !== undefined && { failureReason }),
    ...showTimes(session),
  }
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

function showSuccess({ details, progress }: Session, cryptogram: string | null) {
  const { flow, methods, eci } = progress
  const known = AUTHENTICATION_METHODS.filter((method) => methods.includes(method))
  return {
    ...(flow !== null && { authentication: { flow, ...(known.length > 0 && { methods: known }) } }),
    ...(cryptogram !== null && { cryptogram }),
    ...(eci !== null && {
      eci: meaningOfEci(details.card.brand, eci, details.initiator.type === "customer"),
    }),
  }
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
