import { Button, Stack, Text, Title } from "@mantine/core"
import type { Session } from "@sealway/sdk/api"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { listSessions, revokeSession } from "../../api/session-operations.ts"
import { teamTransport } from "../../api/transport.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { PagedList } from "../../components/paged-list.tsx"
import { Time } from "../../components/time.tsx"
import { useSession } from "../../session/session.tsx"

const SESSIONS_KEY = ["team", "own-sessions"] as const

/** Where the member is signed in, on all browsers. */
export function OwnSessions() {
  const { session } = useSession()
  return (
    <Stack component="section" gap="sm" aria-labelledby="sessions">
      <Title order={2} size="h4" id="sessions">
        Your sessions
      </Title>
      <PagedList<Session>
        label="Your sessions"
        queryKey={SESSIONS_KEY}
        fetchPage={async (_, signal) => ({
          data: (await listSessions(teamTransport, {}, { signal })).data,
          next: null,
        })}
        keyOf={({ id }) => id}
        columns={[
          {
            header: "Browser",
            cell: ({ userAgent }) => <Text size="sm">{userAgent === "" ? "unknown" : userAgent}</Text>,
          },
          { header: "From", cell: ({ ip }) => ip },
          { header: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            header: "Change",
            cell: (each) => (each.id === session.id ? "This one" : <EndSession session={each} />),
          },
        ]}
        empty={<Text c="dimmed">You have no session.</Text>}
      />
    </Stack>
  )
}

function EndSession({ session }: { readonly session: Session }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const end = async () => {
    await revokeSession(teamTransport, { sessionId: session.id })
    await client.invalidateQueries({ queryKey: SESSIONS_KEY })
  }
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setOpen(true)}
        aria-label={`End the session from ${session.ip}`}
      >
        End
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="End the session?"
        action="End it"
        onConfirm={end}
      >
        <Text>That browser is signed out within 10 seconds.</Text>
      </ConfirmDialog>
    </>
  )
}
