import { Code, Group, Stack, Text } from "@mantine/core"
import { type ListedThreeDSSession, list3dsSessions } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { StatusFilter } from "./card-filters.tsx"
import { SESSION_STATUSES } from "./payments-search.ts"
import { useFilters } from "./use-filters.ts"
import { cardInWords, moneyInWords } from "./words.ts"

const REFRESH_MS = 5_000

/** The 3-D Secure sessions of an app. */
export function Sessions() {
  const { app, key, transport } = useApp()
  const { filters } = useFilters()
  const status = SESSION_STATUSES.find((each) => each === filters.status)
  return (
    <Stack gap="md">
      <Group>
        <StatusFilter statuses={SESSION_STATUSES} />
      </Group>
      <PagedList<ListedThreeDSSession>
        label="3-D Secure sessions"
        queryKey={[...key, "3ds-sessions", status ?? null]}
        fetchPage={(after, signal) =>
          list3dsSessions(transport, { limit: PAGE_SIZE, ...(status && { status }) }, { signal }).page(after)
        }
        keyOf={({ id }) => id}
        refreshMs={REFRESH_MS}
        columns={[
          {
            header: "Card",
            cell: ({ id, card }) => (
              <Link
                className={rowLinkClass}
                to="/apps/$appId/payments/3ds-sessions/$sessionId"
                params={{ appId: app.id, sessionId: id }}
              >
                {cardInWords(card)}
              </Link>
            ),
          },
          {
            header: "Payment",
            cell: ({ payment }) => (payment === undefined ? "None" : moneyInWords(payment)),
          },
          { header: "Merchant", cell: ({ merchant }) => merchant.name },
          {
            header: "Status",
            cell: (session) => (
              <Group gap={4}>
                <Status status={session.status} />
                {session.status === "failure" && <Text size="sm">{session.failureReason}</Text>}
                {session.status === "success" && <Text size="sm">{session.authentication.flow}</Text>}
              </Group>
            ),
          },
          { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState title={status ? "No session matches the filter" : "There is no 3-D Secure session"}>
            <Text c="dimmed">
              Create them with <Code>POST /payments/3ds-sessions</Code> or{" "}
              <Code>sealway 3ds-sessions create</Code>.
            </Text>
          </EmptyState>
        }
      />
    </Stack>
  )
}
