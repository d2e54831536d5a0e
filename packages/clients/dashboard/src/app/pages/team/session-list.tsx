import { Button, Stack, Text, Title } from "@mantine/core"
import type { Session } from "@sealway/sdk/api"
import { type QueryKey, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { PagedList } from "../../components/paged-list.tsx"
import { Time } from "../../components/time.tsx"
import { useSession } from "../../session/session.tsx"

interface SessionListProps {
  readonly title: string
  readonly queryKey: QueryKey
  readonly list: (signal: AbortSignal) => Promise<{ readonly data: readonly Session[] }>
  readonly revoke: (sessionId: string) => Promise<unknown>
  readonly empty: string
}

/** Where a member is signed in, on all browsers. */
export function SessionList({ title, queryKey, list, revoke, empty }: SessionListProps) {
  const { session } = useSession()
  return (
    <Stack component="section" gap="sm" aria-labelledby="sessions">
      <Title order={2} size="h4" id="sessions">
        {title}
      </Title>
      <PagedList<Session>
        label={title}
        queryKey={queryKey}
        fetchPage={async (_, signal) => ({ data: (await list(signal)).data, next: null })}
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
            cell: (each) =>
              each.id === session.id ? (
                "This one"
              ) : (
                <EndSession session={each} queryKey={queryKey} revoke={revoke} />
              ),
          },
        ]}
        empty={<Text c="dimmed">{empty}</Text>}
      />
    </Stack>
  )
}

interface EndSessionProps extends Pick<SessionListProps, "queryKey" | "revoke"> {
  readonly session: Session
}

function EndSession({ session, queryKey, revoke }: EndSessionProps) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const end = async () => {
    await revoke(session.id)
    await client.invalidateQueries({ queryKey })
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
