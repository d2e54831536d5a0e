import { brandSchema, fundingSchema, segmentSchema } from "@sealway/bins"
import { MESSAGE_TYPES, MESSAGE_VERSIONS } from "@sealway/three-d-secure"
import * as z from "zod"
import { directoryServerSchema } from "../../networks/messages/authenticate.ts"
import type { acquirerNetworkSchema } from "../../networks/messages/enrolment.ts"
import { FAILURE_REASONS } from "../codes/failure-reason.ts"
import {
  CHALLENGE_PREFERENCES,
  customerSchema,
  INITIATOR_REASONS,
  NO_CHALLENGE_REASONS,
  paymentSchema,
} from "./session-request.ts"

/** The maximum duration of a session, and of a challenge. */
export const SESSION_MS = 10 * 60_000

const partySchema = z.object({
  /** Null when the request contained the merchant's or acquirer's details instead. */
  id: z.string().nullable(),
  country: z.string(),
})

export const sessionMerchantSchema = partySchema.extend({
  name: z.string(),
  website: z.string(),
  categoryCode: z.string(),
})

export const sessionAcquirerSchema = partySchema.extend({ bin: z.string(), merchantIdentifier: z.string() })

export const sessionCardSchema = z.lazy(() =>
  z.object({
    lastFour: z.string(),
    expiry: z.object({ month: z.string(), year: z.string() }),
    brand: brandSchema.nullable(),
    funding: fundingSchema.nullable(),
    segment: segmentSchema.nullable(),
    country: z.string().nullable(),
    currency: z.string().nullable(),
    issuer: z.string().optional(),
  }),
)

export const initiatorSchema = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("customer") }),
    z.object({
      type: z.literal("merchant"),
      reason: z.enum(INITIATOR_REASONS),
      initialSession: z.string().optional(),
    }),
  ]),
)

/** What an earlier session of the same cardholder tells the issuer. */
const priorSchema = z.lazy(() =>
  z.object({ reference: z.string(), flow: z.enum(["frictionless", "challenge", "attempt"]), at: z.number() }),
)

/** What a session was requested with, with everything that the request named looked up. */
export const sessionDetailsSchema = z.lazy(() =>
  z.object({
    merchant: sessionMerchantSchema,
    acquirer: sessionAcquirerSchema,
    card: sessionCardSchema,
    payment: paymentSchema.nullable(),
    customer: customerSchema.nullable(),
    challenge: z.object({
      preference: z.enum(CHALLENGE_PREFERENCES),
      reason: z.enum(NO_CHALLENGE_REASONS).nullable(),
    }),
    initiator: initiatorSchema,
    prior: priorSchema.nullable(),
    version: z.enum(MESSAGE_VERSIONS),
    /** The brand of the directory server that answers; null when there is none. */
    directoryServer: directoryServerSchema.nullable(),
    /** Where the issuer takes browsers' fingerprints; null when it takes none. */
    methodUrl: z.string().nullable(),
    /** Why the session must fail once it starts; null when it may succeed. */
    obstacle: z.enum(FAILURE_REASONS).nullable(),
    /** Where the service is reached. */
    serviceOrigin: z.string(),
  }),
)

export const browserSchema = z.lazy(() =>
  z.object({
    javaEnabled: z.boolean(),
    javaScriptEnabled: z.boolean(),
    language: z.string(),
    colorDepth: z.number(),
    screenHeight: z.number(),
    screenWidth: z.number(),
    timeZone: z.number(),
    /** Headers of the browser's request. */
    acceptHeader: z.string(),
    acceptLanguage: z.string(),
    userAgent: z.string(),
    ip: z.string(),
  }),
)

/** A stored message: its numbers masked, without proofs of authentication. */
const keptMessageSchema = z.lazy(() =>
  z.object({ type: z.enum(MESSAGE_TYPES), at: z.number(), data: z.record(z.string(), z.unknown()) }),
)

const statusSchema = z.object({ transStatus: z.string(), transStatusReason: z.string().nullable() })

/** The phases of an authentication. `success` and `failure` are final. */
export const PHASES = ["browser", "fingerprint", "request", "challenge", "success", "failure"] as const
export type Phase = (typeof PHASES)[number]

export const progressSchema = z.lazy(() =>
  z.object({
    phase: z.enum(PHASES),
    /** Epoch milliseconds when an undecided session fails. */
    deadlineAt: z.number(),
    browser: browserSchema.nullable(),
    /** The size of the challenge frame, in pixels; null for the whole window. */
    frame: z.object({ width: z.number(), height: z.number() }).nullable(),
    fingerprint: z.enum(["complete", "timeout"]).nullable(),
    /** Epoch milliseconds until which someone is sending the request; 0 when no one is. */
    claimedUntil: z.number(),
    acsTransID: z.string().nullable(),
    dsTransID: z.string().nullable(),
    acsReferenceNumber: z.string().nullable(),
    dsReferenceNumber: z.string().nullable(),
    acsOperatorID: z.string().nullable(),
    acsUrl: z.string().nullable(),
    ares: statusSchema.extend({ cardholderInfo: z.string().nullable() }).nullable(),
    cres: statusSchema.nullable(),
    rreq: statusSchema.nullable(),
    flow: z.enum(["frictionless", "challenge", "attempt"]).nullable(),
    methods: z.array(z.string()),
    eci: z.string().nullable(),
    failureReason: z.enum(FAILURE_REASONS).nullable(),
    messages: z.array(keptMessageSchema),
  }),
)

export const sessionContentSchema = z.lazy(() =>
  z.object({
    details: sessionDetailsSchema,
    /** The session's id at networks. */
    transactionId: z.uuid(),
    /** The card number, until the network was asked. */
    number: z.string().nullable(),
    /** The end of the page URL that opens the session in a browser; null when no browser takes part. */
    pageToken: z.string().nullable(),
    progress: progressSchema,
    /** The id of the event about the decision: part of the record until it is published. */
    untoldEvent: z.string().nullable(),
  }),
)

export type SessionDetails = z.infer<typeof sessionDetailsSchema>
export type SessionMerchant = z.infer<typeof sessionMerchantSchema>
export type SessionAcquirer = z.infer<typeof sessionAcquirerSchema>
export type SessionCard = z.infer<typeof sessionCardSchema>
export type Initiator = z.infer<typeof initiatorSchema>
export type PriorAuthentication = z.infer<typeof priorSchema>
export type Progress = z.infer<typeof progressSchema>
export type BrowserFacts = z.infer<typeof browserSchema>
export type KeptMessage = z.infer<typeof keptMessageSchema>
export type AcquirerNetwork = z.infer<typeof acquirerNetworkSchema>

export interface Session extends Readonly<z.infer<typeof sessionContentSchema>> {
  readonly id: string
  readonly appId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; null until the first change. */
  readonly updatedAt: number | null
  /** Incremented by each write. */
  readonly revision: number
}

export interface NewSession {
  readonly id: string
  readonly appId: string
  readonly transactionId: string
  readonly number: string
  readonly pageToken: string | null
  readonly details: SessionDetails
}

/** Creates a session that waits for its cardholder's browser or, if the merchant initiates it, for the network. */
export function newSession(made: NewSession, nowMs: number): Session {
  return {
    ...made,
    progress: {
      phase: made.details.initiator.type === "customer" ? "browser" : "request",
      deadlineAt: nowMs + SESSION_MS,
      browser: null,
      frame: null,
      fingerprint: null,
      claimedUntil: 0,
      acsTransID: null,
      dsTransID: null,
      acsReferenceNumber: null,
      dsReferenceNumber: null,
      acsOperatorID: null,
      acsUrl: null,
      ares: null,
      cres: null,
      rreq: null,
      flow: null,
      methods: [],
      eci: null,
      failureReason: null,
      messages: [],
    },
    untoldEvent: null,
    createdAt: nowMs,
    updatedAt: null,
    revision: 1,
  }
}

export const isDecided = ({ progress: { phase } }: Pick<Session, "progress">): boolean =>
  phase === "success" || phase === "failure"
