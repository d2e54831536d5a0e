import { Button, Center, Code, Container, Loader, Stack, Text, Title } from "@mantine/core"
import type { CurrentSession } from "@sealway/sdk/api"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { createContext, type ReactNode, use, useEffect, useRef } from "react"
import { enterSession, isSignedOut, SESSION_KEY } from "../api/query-client.ts"
import { getSession, renewSession } from "../api/session-operations.ts"
import { teamTransport } from "../api/transport.ts"
import { now } from "../clock.ts"
import { Problem } from "../components/problem.tsx"

/** Renewing more often changes nothing. */
const RENEWAL_MS = 5 * 60_000

/** Renews the session while somebody uses the page, so that it is not over after an hour. */
function useRenewal(session: CurrentSession | null): void {
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

/** What somebody without a session sees. When they sign in in another tab, this page notices. */
function SignedOut() {
  return (
    <Container size="xs" py="xl" component="main">
      <Stack gap="md" align="flex-start">
        <Title order={1}>Sealway</Title>
        <Text>You are not signed in, or your session has ended.</Text>
        <Button component="a" href={`${API_PATH}/sign-in`}>
          Sign in
        </Button>
        <Text c="dimmed">
          On the machine that runs Sealway, <Code>npx sealway dashboard</Code> prints a link that signs you
          in. Open it in this browser and come back: this page continues where it was.
        </Text>
      </Stack>
    </Container>
  )
}
