import { Stack, Text, Title } from "@mantine/core"
import { type AuditRecord, listAuditLogs } from "@sealway/sdk/api"
import { useApp } from "../../api/app.ts"
import { teamTransport } from "../../api/transport.ts"
import { actorInWords } from "../../components/actor-in-words.ts"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { Time } from "../../components/time.tsx"

interface HistoryProps {
  /** Whose history. */
  readonly targetId: string
  /** The actions that change it. */
  readonly action: string
}

/** What the audit log says about changes of one record. */
export function History({ targetId, action }: HistoryProps) {
  const { app, key } = useApp()
  return (
    <Stack component="section" gap="sm" aria-labelledby="history">
      <Title order={2} size="h4" id="history">
        History
      </Title>
      <PagedList<AuditRecord>
        label="History"
        queryKey={[...key, "history", targetId]}
        fetchPage={async (after, signal) => {
          const query = { appId: app.id, action, limit: PAGE_SIZE }
          const { data, next } = await listAuditLogs(teamTransport, query, { signal }).page(after)
          return { data: data.filter(({ target }) => target.id === targetId), next }
        }}
        keyOf={({ id }) => id}
        columns={[
          { header: "When", cell: ({ at }) => <Time at={at} /> },
          { header: "What", cell: ({ action }) => action },
          { header: "Who", cell: ({ actor }) => actorInWords(actor) },
        ]}
        empty={<Text c="dimmed">The audit log has no change of it.</Text>}
      />
    </Stack>
  )
}
