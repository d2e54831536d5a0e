import { Code, Group, Stack, Text, TextInput } from "@mantine/core"
import { listMerchants, type Merchant } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { enrolmentsOf } from "./enrolments.ts"
import { useFilters } from "./use-filters.ts"

/** The businesses that take payments, and where they are enrolled. */
export function Merchants() {
  const { app, key, transport } = useApp()
  const { filters, filterLater } = useFilters()
  const { name } = filters
  return (
    <Stack gap="md">
      <Group>
        <TextInput
          label="Name contains"
          defaultValue={name ?? ""}
          onChange={({ currentTarget }) => filterLater({ name: currentTarget.value })}
          maxLength={60}
        />
      </Group>
      <PagedList<Merchant>
        label="Merchants"
        queryKey={[...key, "merchants", name ?? null]}
        fetchPage={(after, signal) =>
          listMerchants(transport, { pageSize: PAGE_SIZE, ...(name && { q: name }) }, { signal }).page(after)
        }
        keyOf={({ id }) => id}
        columns={[
          {
            header: "Name",
            cell: (merchant) => (
              <Link
                className={rowLinkClass}
                to="/apps/$appId/payments/merchants/$merchantId"
                params={{ appId: app.id, merchantId: merchant.id }}
              >
                {merchant.name}
              </Link>
            ),
          },
          { header: "Enrolments", cell: (merchant) => <Enrolled merchant={merchant} /> },
          { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState title={name ? "No merchant has this text in its name" : "There is no merchant"}>
            <Text c="dimmed">
              Create one with <Code>POST /payments/merchants</Code> or <Code>sealway merchants create</Code>.
              That enrols it with the card networks.
            </Text>
          </EmptyState>
        }
      />
    </Stack>
  )
}

/** How many enrolments are in each state that asks for attention, or works. */
function Enrolled({ merchant }: { readonly merchant: Merchant }) {
  const statuses = enrolmentsOf(merchant).map(({ status }) => status)
  const counts = (["active", "pending", "failed"] as const)
    .map((status) => ({ status, count: statuses.filter((each) => each === status).length }))
    .filter(({ count }) => count > 0)
  if (counts.length === 0) return <Text size="sm">None</Text>
  return (
    <Group gap="xs">
      {counts.map(({ status, count }) => (
        <Group gap={4} key={status}>
          <Text size="sm">{count}</Text>
          <Status status={status} />
        </Group>
      ))}
    </Group>
  )
}
