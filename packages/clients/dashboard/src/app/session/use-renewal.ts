import type { CurrentSession } from "@sealway/sdk/api"
import { useEffect, useRef } from "react"
import { renewSession } from "../api/session-operations.ts"
import { teamTransport } from "../api/transport.ts"
import { now } from "../clock.ts"

/** Renewing more often changes nothing. */
const RENEWAL_MS = 5 * 60_000

/** Renews the session while somebody uses the page, so that it is not over after an hour. */
export function useRenewal(session: CurrentSession | null): void {
  const renewedAt = useRef(now())
  const id = session?.session.id ?? null
  useEffect(() => {
    if (id === null) return
    const onUse = () => {
      const nowMs = now()
      if (nowMs - renewedAt.current < RENEWAL_MS) return
      renewedAt.current = nowMs
      // When it fails the next use tries again; when the session is over, the next request says so.
      renewSession(teamTransport).catch(() => {
        renewedAt.current = 0
      })
    }
    const events = ["pointerdown", "keydown"] as const
    for (const event of events) addEventListener(event, onUse, { passive: true })
    return () => {
      for (const event of events) removeEventListener(event, onUse)
    }
  }, [id])
}
