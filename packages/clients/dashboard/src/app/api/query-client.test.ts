import type { CurrentSession } from "@sealway/sdk/api"
import { MutationObserver } from "@tanstack/react-query"
import { expect, test } from "vitest"
import { createQueryClient, enterSession, SESSION_KEY } from "./query-client.ts"

const sessionOf = (memberId: string): CurrentSession => ({
  session: { id: "session_1", memberId, createdAt: 0, expiresAt: 1, idleUntil: 1, ip: "", userAgent: "" },
  member: { id: memberId, email: null, name: "A", role: "auditor", createdAt: 0 },
  team: { id: "team_1", name: "Team" },
  scopes: { sandbox: [], production: [] },
})

test("another member who signs in in the same browser sees nothing that the page showed before", () => {
  const client = createQueryClient()
  client.setQueryData(SESSION_KEY, enterSession(client, sessionOf("member_1")))
  client.setQueryData(["apps"], ["Payroll"])
  client.setQueryData(SESSION_KEY, enterSession(client, sessionOf("member_1")))
  expect(client.getQueryData(["apps"])).toEqual(["Payroll"])
  client.setQueryData(SESSION_KEY, enterSession(client, sessionOf("member_2")))
  expect(client.getQueryData(["apps"])).toBeUndefined()
})

test("what was sent and answered with a secret is forgotten when its dialog closes", async () => {
  const client = createQueryClient()
  const observer = new MutationObserver(client, { mutationFn: async (secret: string) => secret })
  const close = observer.subscribe(() => undefined)
  await observer.mutate("ev:key:1:secret")
  expect(client.getMutationCache().getAll()).toHaveLength(1)
  close()
  await new Promise((resolve) => setTimeout(resolve))
  expect(client.getMutationCache().getAll()).toEqual([])
})
