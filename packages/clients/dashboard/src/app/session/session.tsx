import { Center, Loader } from "@mantine/core"
import type { CurrentSession } from "@sealway/sdk/api"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { createContext, type ReactNode, use } from "react"
import { enterSession, isSignedOut, SESSION_KEY } from "../api/query-client.ts"
import { getSession } from "../api/session-operations.ts"
import { teamTransport } from "../api/transport.ts"
import { Problem } from "../components/problem.tsx"
import { SignedOut } from "./signed-out.tsx"
import { useRenewal } from "./use-renewal.ts"

const SessionContext = createContext<CurrentSession | null>(null)

/** Who is signed in, and what their role permits. For components within `SessionGate`. */
export function useSession(): CurrentSession {
  const session = use(SessionContext)
  if (session === null) throw new TypeError("There is no session outside of SessionGate")
  return session
}

/** Shows the dashboard to members, and how to sign in to everybody else. Keeps the session alive while it is used. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient()
  const { data, error, isPending } = useQuery({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }) => {
      try {
        return enterSession(client, await getSession(teamTransport, {}, { signal }))
      } catch (problem) {
        if (isSignedOut(problem)) return null
        throw problem
      }
    },
    refetchOnWindowFocus: "always",
    refetchInterval: 60_000,
  })
  useRenewal(data ?? null)
  if (isPending) {
    return (
      <Center mih="100vh">
        <Loader aria-label="Loading" />
      </Center>
    )
  }
  if (data) {
    // Another member, who signed in in another tab, sees nothing of what is open here.
    return (
      <SessionContext key={data.member.id} value={data}>
        {children}
      </SessionContext>
    )
  }
  return error ? (
    <Center mih="100vh" p="md">
      <Problem error={error} />
    </Center>
  ) : (
    <SignedOut />
  )
}
