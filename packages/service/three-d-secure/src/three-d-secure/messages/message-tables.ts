import type * as z from "zod"
import { AREQ_2_2_0, AREQ_2_3_1, type AReq } from "./areq.ts"
import { ARES_2_2_0, ARES_2_3_1, type ARes } from "./ares.ts"
import { CREQ_2_2_0, CREQ_2_3_1, CRES_2_2_0, CRES_2_3_1, type CReq, type CRes } from "./challenge.ts"
import { ERRO, type Erro } from "./erro.ts"
import type { Circumstance, Fields } from "./field.ts"
import { RREQ_2_2_0, RREQ_2_3_1, RRES_2_2_0, RRES_2_3_1, type RReq, type RRes } from "./results.ts"
import { schemaOf } from "./schema-of.ts"
import type { MessageType, MessageVersion } from "./versions.ts"

/** When a transStatus is allowed in a message. */
interface StatusRule {
  /** One of these must hold. */
  readonly allowedWhen: readonly Circumstance[]
  /** None of these may hold. */
  readonly refusedWhen?: readonly Circumstance[]
}

/** The rules for one type of message. */
export interface MessageSpec<Message> {
  readonly type: MessageType
  readonly tables: Readonly<Record<MessageVersion, Fields>>
  readonly schemas: Readonly<Record<MessageVersion, z.ZodType<Message>>>
  /** By transStatus. Others are refused. Null: the message has none. */
  readonly statuses: Readonly<Record<string, StatusRule>> | null
}

const ANYWHERE: StatusRule = { allowedWhen: [{}] }
const FINAL = { Y: ANYWHERE, N: ANYWHERE, U: ANYWHERE, A: ANYWHERE, R: ANYWHERE }

/** Sealway never requests decoupled authentication or Secure Payment Confirmation, so D and S are not valid answers. */
const ARES_STATUSES = {
  ...FINAL,
  C: { allowedWhen: [{ deviceChannel: ["02"] }], refusedWhen: [{ threeDSRequestorChallengeInd: ["06"] }] },
  I: { allowedWhen: [{ threeDSRequestorChallengeInd: ["05", "06", "07"] }] },
} as const

export const AREQ: MessageSpec<AReq> = {
  type: "AReq",
  tables: { "2.2.0": AREQ_2_2_0, "2.3.1": AREQ_2_3_1 },
  schemas: { "2.2.0": schemaOf(AREQ_2_2_0), "2.3.1": schemaOf(AREQ_2_3_1) },
  statuses: null,
}
export const ARES: MessageSpec<ARes> = {
  type: "ARes",
  tables: { "2.2.0": ARES_2_2_0, "2.3.1": ARES_2_3_1 },
  schemas: { "2.2.0": schemaOf(ARES_2_2_0), "2.3.1": schemaOf(ARES_2_3_1) },
  statuses: ARES_STATUSES,
}
export const CREQ: MessageSpec<CReq> = {
  type: "CReq",
  tables: { "2.2.0": CREQ_2_2_0, "2.3.1": CREQ_2_3_1 },
  schemas: { "2.2.0": schemaOf(CREQ_2_2_0), "2.3.1": schemaOf(CREQ_2_3_1) },
  statuses: null,
}
export const CRES: MessageSpec<CRes> = {
  type: "CRes",
  tables: { "2.2.0": CRES_2_2_0, "2.3.1": CRES_2_3_1 },
  schemas: { "2.2.0": schemaOf(CRES_2_2_0), "2.3.1": schemaOf(CRES_2_3_1) },
  statuses: { Y: ANYWHERE, N: ANYWHERE },
}
export const RREQ: MessageSpec<RReq> = {
  type: "RReq",
  tables: { "2.2.0": RREQ_2_2_0, "2.3.1": RREQ_2_3_1 },
  schemas: { "2.2.0": schemaOf(RREQ_2_2_0), "2.3.1": schemaOf(RREQ_2_3_1) },
  statuses: FINAL,
}
export const RRES: MessageSpec<RRes> = {
  type: "RRes",
  tables: { "2.2.0": RRES_2_2_0, "2.3.1": RRES_2_3_1 },
  schemas: { "2.2.0": schemaOf(RRES_2_2_0), "2.3.1": schemaOf(RRES_2_3_1) },
  statuses: null,
}

const erroSchema: z.ZodType<Erro> = schemaOf(ERRO)
export const ERRO_SPEC: MessageSpec<Erro> = {
  type: "Erro",
  tables: { "2.2.0": ERRO, "2.3.1": ERRO },
  schemas: { "2.2.0": erroSchema, "2.3.1": erroSchema },
  statuses: null,
}
