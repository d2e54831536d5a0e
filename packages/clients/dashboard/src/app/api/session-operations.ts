import type { CurrentSession, RenewedSession, SessionList } from "@sealway/sdk/api"
import { operation } from "@sealway/sdk/operation"

// Operations that only a session can call. The SDK, which has keys, leaves them out.

export const getSession = operation<Record<never, never>, CurrentSession>({
  method: "GET",
  path: "/session",
  isRepeatable: true,
})

export const renewSession = operation<Record<never, never>, RenewedSession>({
  method: "POST",
  path: "/session/renew",
})

export const listSessions = operation<Record<never, never>, SessionList>({
  method: "GET",
  path: "/sessions",
  isRepeatable: true,
})

export const revokeSession = operation<{ readonly sessionId: string }, undefined>({
  method: "DELETE",
  path: "/sessions/{session_id}",
})

export const signOut = operation<Record<never, never>, undefined>({ method: "POST", path: "/sign-out" })
