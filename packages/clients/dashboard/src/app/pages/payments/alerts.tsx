import { Group, NativeSelect, Stack, Text } from "@mantine/core"
import { listPreChargebackAlerts, type PreChargebackAlert } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { StatusFilter } from "./card-filters.tsx"
import { ALERT_NETWORKS, ALERT_STATUSES } from "./payments-search.ts"
import { useFilters } from "./use-filters.ts"
import { cardInWords, moneyInWords } from "./words.ts"

/** The disputes that have not become chargebacks yet. */
export function Alerts() {
  const { app, key, transport } = useApp()
  const { filters, filter } = useFilters()
  const { network } = filters
  const status = ALERT_STATUSES.find((each) => each === filters.status)
  return (
    <Stack gap="md">
      <Group gap="md">
        <StatusFilter statuses={ALERT_STATUSES} />
        <NativeSelect
          label="Network"
          value={network ?? ""}
          onChange={({ currentTarget }) => filter({ network: currentTarget.value })}
          data={[{ value: "", label: "Both networks" }, ...ALERT_NETWORKS]}
        />
      </Group>
      <PagedList<PreChargebackAlert>
        label="Pre-chargeback alerts"
        queryKey={[...key, "alerts", status ?? null, network ?? null]}
        fetchPage={(after, signal) =>
          listPreChargebackAlerts(
            transport,
            { limit: PAGE_SIZE, ...(status && { status }), ...(network && { network }) },
            { signal },
          ).page(after)
        }
        keyOf={({ id }) => id}
        columns={[
          {
            header: "Disputed",
            cell: ({ id, transaction }) => (
              <Link
                className={rowLinkClass}
                to="/apps/$appId/payments/alerts/$alertId"
                params={{ appId: app.id, alertId: id }}
              >
                {moneyInWords(transaction)}
              </Link>
            ),
          },
          { header: "Card", cell: ({ card }) => cardInWords(card) },
          { header: "Network", cell: ({ network, type }) => `${network}, ${type}` },
          {
            header: "Status",
            cell: ({ status, outcome }) => (
              <Group gap={4}>
                <Status status={status} />
                <Text size="sm">{outcome}</Text>
              </Group>
            ),
          },
          {
            header: "Answer until",
            cell: ({ status, respondBy }) =>
              status === "open" && respondBy !== null ? <Time at={respondBy} /> : "",
          },
          { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState title={status || network ? "No alert matches the filters" : "There is no alert"}>
            Alerts of Ethoca and Verifi appear here for merchants that are enrolled for them, before a dispute
            becomes a chargeback.
          </EmptyState>
        }
      />
    </Stack>
  )
}
