import { Code, Stack, Text } from "@mantine/core"
import { type ListedCard, listCards } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { CardFilters } from "./card-filters.tsx"
import { CARD_STATUSES } from "./payments-search.ts"
import { useFilters } from "./use-filters.ts"
import { cardInWords, expiryInWords } from "./words.ts"

/** The cards that networks keep up to date. */
export function Cards() {
  const { app, key, transport } = useApp()
  const { filters } = useFilters()
  const { lastFour } = filters
  const status = CARD_STATUSES.find((each) => each === filters.status)
  return (
    <Stack gap="md">
      <CardFilters statuses={CARD_STATUSES} />
      <PagedList<ListedCard>
        label="Cards"
        queryKey={[...key, "cards", status ?? null, lastFour ?? null]}
        fetchPage={(after, signal) =>
          listCards(
            transport,
            { limit: PAGE_SIZE, ...(status && { status }), ...(lastFour && { lastFour }) },
            { signal },
          ).page(after)
        }
        keyOf={({ id }) => id}
        columns={[
          {
            header: "Card",
            cell: (card) => (
              <Link
                className={rowLinkClass}
                to="/apps/$appId/payments/cards/$cardId"
                params={{ appId: app.id, cardId: card.id }}
              >
                {cardInWords(card)}
              </Link>
            ),
          },
          { header: "Expiry", cell: ({ expiry }) => expiryInWords(expiry) },
          { header: "Status", cell: ({ status }) => <Status status={status} /> },
          { header: "Automatic updates", cell: ({ automaticUpdates }) => automaticUpdates },
          { header: "Registered", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState title={status || lastFour ? "No card matches the filters" : "No card is registered"}>
            <Text c="dimmed">
              Register cards with <Code>POST /payments/cards</Code> or <Code>sealway cards register</Code>.
              Their networks then report new numbers and expiries.
            </Text>
          </EmptyState>
        }
      />
    </Stack>
  )
}
