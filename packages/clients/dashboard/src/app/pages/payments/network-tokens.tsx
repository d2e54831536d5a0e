import { Code, Stack, Text } from "@mantine/core"
import { type ListedNetworkToken, listNetworkTokens } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { CardFilters } from "./card-filters.tsx"
import { TOKEN_STATUSES } from "./payments-search.ts"
import { useFilters } from "./use-filters.ts"
import { cardInWords, expiryInWords } from "./words.ts"

/** The numbers that replace card numbers at one merchant. */
export function NetworkTokens() {
  const { app, key, transport } = useApp()
  const { filters } = useFilters()
  const { lastFour } = filters
  const status = TOKEN_STATUSES.find((each) => each === filters.status)
  return (
    <Stack gap="md">
      <CardFilters statuses={TOKEN_STATUSES} />
      <PagedList<ListedNetworkToken>
        label="Network tokens"
        queryKey={[...key, "network-tokens", status ?? null, lastFour ?? null]}
        fetchPage={(after, signal) =>
          listNetworkTokens(
            transport,
            { limit: PAGE_SIZE, ...(status && { status }), ...(lastFour && { lastFour }) },
            { signal },
          ).page(after)
        }
        keyOf={({ id }) => id}
        columns={[
          {
            header: "Card",
            cell: ({ id, card }) => (
              <Link
                className={rowLinkClass}
                to="/apps/$appId/payments/network-tokens/$tokenId"
                params={{ appId: app.id, tokenId: id }}
              >
                {cardInWords(card)}
              </Link>
            ),
          },
          { header: "Token's expiry", cell: ({ expiry }) => expiryInWords(expiry) },
          { header: "Provider", cell: ({ tokenServiceProvider }) => tokenServiceProvider },
          { header: "Status", cell: ({ status }) => <Status status={status} /> },
          { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState
            title={status || lastFour ? "No network token matches the filters" : "There is no network token"}
          >
            <Text c="dimmed">
              Create them with <Code>POST /payments/network-tokens</Code> or{" "}
              <Code>sealway network-tokens create</Code>, for a merchant that is enrolled.
            </Text>
          </EmptyState>
        }
      />
    </Stack>
  )
}
