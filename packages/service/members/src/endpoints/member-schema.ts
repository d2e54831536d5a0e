import { type Invitation, MEMBER_ROLES, type Member, type Session } from "@sealway/accounts"
import { idParameter } from "@sealway/http"
import * as z from "zod"

/** Enough for any request here. */
export const MAX_PARAMETER_BYTES = 4 * 1024

export const roleSchema = z
  .enum(MEMBER_ROLES)
  .describe(
    "`owner`: everything; `admin`: all but members and team keys; `developer`: sandbox apps, and reading production apps; `auditor`: reading",
  )

export const memberPathSchema = z.object({ member_id: idParameter("member", "Id of the member") })

export const memberSchema = z
  .object({
    id: z.string(),
    email: z.string().nullable().describe("Null for the owner of a service on one machine"),
    name: z.string(),
    role: roleSchema,
    createdAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "Member" })

export function showMember({ id, email, name, role, createdAt }: Member) {
  return { id, email, name, role, createdAt }
}

export const invitationSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    role: roleSchema,
    invitedBy: z.string().describe("Id of the member or team key"),
    createdAt: z.int().describe("Epoch milliseconds"),
    expiresAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "Invitation" })

export function showInvitation({ id, email, role, invitedBy, createdAt, expiresAt }: Invitation) {
  return { id, email, role, invitedBy: invitedBy.id, createdAt, expiresAt }
}

export const sessionSchema = z
  .object({
    id: z.string(),
    memberId: z.string(),
    createdAt: z.int().describe("Epoch milliseconds"),
    expiresAt: z.int().describe("Epoch milliseconds"),
    idleUntil: z.int().describe("Epoch milliseconds: the session is over then, unless it is renewed"),
    ip: z.string().describe("The address that it was started from"),
    userAgent: z.string().describe("What its browser calls itself, up to 200 characters"),
  })
  .meta({ id: "Session" })

export function showSession({ id, memberId, createdAt, endsAt, idleUntil, ip, userAgent }: Session) {
  return { id, memberId, createdAt, expiresAt: endsAt, idleUntil, ip, userAgent }
}

export const sessionsReplySchema = z
  .object({
    data: z.array(sessionSchema).describe("Newest first, at most 20"),
    hasMore: z.boolean().describe("Always false"),
  })
  .meta({ id: "SessionList" })
