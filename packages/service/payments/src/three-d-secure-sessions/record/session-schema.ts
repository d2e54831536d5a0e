import {
  brandSchema,
  createdAtSchema,
  expirySchema,
  fundingSchema,
  segmentSchema,
  updatedAtSchema,
} from "@sealway/bins"
import { MESSAGE_TYPES, MESSAGE_VERSIONS } from "@sealway/three-d-secure"
import * as z from "zod"
import { directoryServerSchema } from "../../networks/messages/authenticate.ts"
import { AUTHENTICATION_METHODS } from "../codes/authentication-methods.ts"
import { ECI_DESCRIPTORS } from "../codes/electronic-commerce-indicator.ts"
import { FAILURE_REASONS } from "../codes/failure-reason.ts"
import {
  CHALLENGE_PREFERENCES,
  INITIATOR_REASONS,
  NO_CHALLENGE_REASONS,
  paymentSchema,
} from "./session-request.ts"

/** 3-D Secure treats Diners Club cards as Discover cards. */
const NETWORKS = directoryServerSchema.exclude(["diners-club"]).options

export const SESSION_STATUSES = ["action-required", "success", "failure"] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

const detailedSchema = z.lazy(() => z.object({ value: z.string(), detail: z.string() }))
const transactionSchema = z.object({ transactionIdentifier: z.string() })
const serverSchema = transactionSchema.extend({ referenceNumber: z.string() })

/** The fields of a session, and those of one in a list: what support and reports need, without what opens or proves it. */
const listedFields = () => ({
  id: z.string(),
  merchant: z.object({
    id: z.string().exactOptional(),
    name: z.string(),
    website: z.string(),
    categoryCode: z.string(),
    country: z.string(),
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
  payment: paymentSchema.exactOptional().describe("Absent for authentication without a payment"),
  initiator: z.object({
    type: z.enum(["customer", "merchant"]),
    reason: z.enum(INITIATOR_REASONS).exactOptional(),
    initialSession: z.string().exactOptional(),
  }),
  version: z.enum(MESSAGE_VERSIONS),
  createdAt: createdAtSchema,
  updatedAt: updatedAtSchema,
})
const sessionFields = () => ({
  ...listedFields(),
  acquirer: z.object({
    id: z.string().exactOptional(),
    bin: z.string(),
    merchantIdentifier: z.string(),
    country: z.string(),
  }),
  challenge: z.object({
    preference: z.enum(CHALLENGE_PREFERENCES),
    reason: z.enum(NO_CHALLENGE_REASONS).exactOptional(),
  }),
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
})

/** The fields of each status. */
const waitingFields = () => ({ status: z.literal("action-required") })
const successFields = () => ({
  status: z.literal("success"),
  authentication: z.object({
    flow: z.enum(["frictionless", "challenge", "attempt"]),
    methods: z.array(z.enum(AUTHENTICATION_METHODS)).exactOptional(),
  }),
  eci: z.object({ value: z.string(), descriptor: z.enum(ECI_DESCRIPTORS), liabilityShift: z.boolean() }),
})
const failureFields = () => ({ status: z.literal("failure"), failureReason: z.enum(FAILURE_REASONS) })

/** A 3-D Secure session as the API returns it. */
export const sessionSchema = z.lazy(() =>
  z
    .discriminatedUnion("status", [
      z
        .object({
          ...sessionFields(),
          ...waitingFields(),
          nextAction: z
            .object({
              type: z.literal("use-sdk"),
              url: z
                .string()
                .describe("Opens the session in a browser without an SDK: once, within ten minutes"),
            })
            .exactOptional(),
        })
        .meta({ id: "WaitingThreeDSSession" }),
      z
        .object({
          ...sessionFields(),
          ...successFields(),
          cryptogram: z.string().exactOptional().describe("Base64. Available for one hour after success"),
        })
        .meta({ id: "SuccessfulThreeDSSession" }),
      z.object({ ...sessionFields(), ...failureFields() }).meta({ id: "FailedThreeDSSession" }),
    ])
    .meta({ id: "ThreeDSSession" }),
)

export const listedSessionSchema = z.lazy(() =>
  z
    .discriminatedUnion("status", [
      z.object({ ...listedFields(), ...waitingFields() }).meta({ id: "ListedWaitingThreeDSSession" }),
      z.object({ ...listedFields(), ...successFields() }).meta({ id: "ListedSuccessfulThreeDSSession" }),
      z.object({ ...listedFields(), ...failureFields() }).meta({ id: "ListedFailedThreeDSSession" }),
    ])
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
