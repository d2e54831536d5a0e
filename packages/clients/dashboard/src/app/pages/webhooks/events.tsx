import { Badge, Group, NativeSelect, Stack, Title } from "@mantine/core"
import { listWebhookEvents, type WebhookEvent } from "@sealway/sdk/api"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Time } from "../../components/time.tsx"
import { EVENT_STATUSES, EVENT_TYPES, readWebhookSearch } from "./webhook-search.ts"

const route = getRouteApi("/apps/$appId/webhooks")

const REFRESH_MS = 5_000

/** The events of an app, with whether they have arrived. */
export function Events() {
  const { app, key, transport } = useApp()
  const { status, type } = route.useSearch()
  const navigate = route.useNavigate()
  const filter = (changes: Readonly<Record<string, string>>) =>
    navigate({ search: readWebhookSearch({ status, type, ...changes }), replace: true })
  return (
    <Stack component="section" gap="md" aria-labelledby="events">
      <Title order={2} size="h4" id="events">
        Events
      </Title>
      <Group gap="md">
        <NativeSelect
          label="Status"
          value={status ?? ""}
          onChange={({ currentTarget }) => filter({ status: currentTarget.value })}
          data={[{ value: "", label: "Every status" }, ...EVENT_STATUSES]}
        />
        <NativeSelect
          label="Type"
          value={type ?? ""}
          onChange={({ currentTarget }) => filter({ type: currentTarget.value })}
          data={[{ value: "", label: "Every type" }, ...EVENT_TYPES]}
        />
      </Group>
      <PagedList<WebhookEvent>
        label="Events"
        queryKey={[...key, "webhook-events", status ?? null, type ?? null]}
        fetchPage={(after, signal) =>
          listWebhookEvents(
            transport,
            { limit: PAGE_SIZE, ...(status && { status }), ...(type && { type }) },
            { signal },
          ).page(after)
        }
        keyOf={({ id }) => id}
        refreshMs={REFRESH_MS}
        columns={[
          {
            header: "Type",
            cell: (event) => (
              <Link
                className={rowLinkClass}
                to="/apps/$appId/webhooks/events/$eventId"
                params={{ appId: app.id, eventId: event.id }}
              >
                {event.type}
              </Link>
            ),
          },
          { header: "Status", cell: (event) => <EventStatus status={event.status} /> },
          { header: "When", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState title={status || type ? "No event matches the filters" : "No event yet"}>
            Events appear here when something happens that an endpoint, an alert or a callback is waiting for.
          </EmptyState>
        }
      />
    </Stack>
  )
}

/** Whether an event, or a delivery, has arrived. */
export function EventStatus({ status }: { readonly status: WebhookEvent["status"] | "cancelled" }) {
  const color = status === "delivered" ? "green" : status === "failed" ? "red" : "gray"
  return (
    <Badge variant="light" tt="none" color={color}>
      {status}
    </Badge>
  )
}
