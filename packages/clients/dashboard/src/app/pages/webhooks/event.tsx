import { Button, Loader, Stack, Table, Text, Title } from "@mantine/core"
import {
  getWebhookEvent,
  listWebhookEndpoints,
  replayWebhookEvent,
  type WebhookDelivery,
  type WebhookEventWithDeliveries,
} from "@sealway/sdk/api"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { BackLink } from "../../components/back-link.tsx"
import { CodeBlock } from "../../components/code-block.tsx"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Page } from "../../components/page.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { EventStatus } from "./events.tsx"

const route = getRouteApi("/apps/$appId/webhooks/events/$eventId")

const REFRESH_MS = 2_000

const FAILURES: Readonly<Record<NonNullable<WebhookDelivery["lastFailure"]>, string>> = {
  "destination-refused": "The address is not public",
  timeout: "No answer in time",
  unreachable: "Could not connect",
  "status-code": "Not accepted",
}

/** An event: what was sent, to whom, and whether it arrived. Follows deliveries while they are under way. */
export function EventPage() {
  const { appId, eventId } = route.useParams()
  const { key, transport } = useApp()
  const client = useQueryClient()
  const may = useMay()
  const [isReplaying, setReplaying] = useState(false)
  const queryKey = [...key, "webhook-events", "one", eventId]
  const event = useQuery({
    queryKey,
    queryFn: ({ signal }) => getWebhookEvent(transport, { webhookEventId: eventId }, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? REFRESH_MS : false),
  })
  const replay = async () => {
    await replayWebhookEvent(transport, { webhookEventId: eventId, body: {} })
    await client.invalidateQueries({ queryKey })
  }
  const back = (
    <BackLink to="/apps/$appId/webhooks" params={{ appId }}>
      All events
    </BackLink>
  )
  const isReplayable = event.data?.deliveries.some(({ status }) => status === "failed") ?? false
  return (
    <Page
      title={event.data?.type ?? "Event"}
      about={back}
      actions={
        isReplayable &&
        may("webhookEvent:replay") && <Button onClick={() => setReplaying(true)}>Replay</Button>
      }
    >
      {event.isPending && <Loader aria-label="Loading the event" />}
      {event.error && <Problem error={event.error} onRetry={() => event.refetch()} />}
      {event.data && <Details event={event.data} />}
      <ConfirmDialog
        isOpen={isReplaying}
        onClose={() => setReplaying(false)}
        title="Replay the event?"
        action="Replay"
        onConfirm={replay}
      >
        <Text>
          The event is sent again to every enabled endpoint that did not accept it, with the same webhook-id:
          receivers that remember it process it once.
        </Text>
      </ConfirmDialog>
    </Page>
  )
}

function Details({ event }: { readonly event: WebhookEventWithDeliveries }) {
  const { id, status, createdAt, deliveries, data } = event
  return (
    <Stack gap="lg">
      <Text component="div">
        <EventStatus status={status} /> <Time at={createdAt} /> <code>{id}</code>
      </Text>
      <Deliveries deliveries={deliveries} />
      <Stack component="section" gap="sm" aria-labelledby="data">
        <Title order={2} size="h4" id="data">
          Data
        </Title>
        {data === null ? (
          <Text c="dimmed">Only receivers may read the data of this event.</Text>
        ) : (
          <CodeBlock label="data of the event" code={JSON.stringify(data, null, 2)} />
        )}
      </Stack>
    </Stack>
  )
}

function Deliveries({ deliveries }: Pick<WebhookEventWithDeliveries, "deliveries">) {
  const { key, transport } = useApp()
  const endpoints = useQuery({
    queryKey: [...key, "webhook-endpoints", "urls"],
    queryFn: ({ signal }) => listWebhookEndpoints(transport, { limit: 100 }, { signal }).first(),
  })
  const nameOf = (id: string) => endpoints.data?.find((endpoint) => endpoint.id === id)?.url ?? id
  return (
    <Stack component="section" gap="sm" aria-labelledby="deliveries">
      <Title order={2} size="h4" id="deliveries">
        Deliveries
      </Title>
      {deliveries.length === 0 && (
        <Text c="dimmed">No endpoint subscribes to this type, or none was found yet.</Text>
      )}
      {deliveries.map((delivery) => (
        <Table key={delivery.endpoint} aria-label={`Delivery to ${nameOf(delivery.endpoint)}`} layout="fixed">
          <Table.Tbody>
            <Table.Tr>
              <Table.Th scope="row" w="7rem">
                To
              </Table.Th>
              <Table.Td>
                {nameOf(delivery.endpoint)} <EventStatus status={delivery.status} />
              </Table.Td>
            </Table.Tr>
            <Table.Tr>
              <Table.Th scope="row">Attempts</Table.Th>
              <Table.Td>
                <Attempts delivery={delivery} />
              </Table.Td>
            </Table.Tr>
          </Table.Tbody>
        </Table>
      ))}
    </Stack>
  )
}

function Attempts({ delivery }: { readonly delivery: WebhookDelivery }) {
  const { attempts, lastAttemptAt, lastStatusCode, lastFailure, nextAttemptAt } = delivery
  return (
    <>
      {attempts === 1 ? "1 attempt" : `${attempts} attempts`}
      {lastAttemptAt !== null && (
        <>
          , the last one <Time at={lastAttemptAt} />
        </>
      )}
      {lastFailure !== null && `: ${FAILURES[lastFailure]}`}
      {lastStatusCode !== null && ` (status ${lastStatusCode})`}
      {nextAttemptAt !== null && (
        <>
          . The next one <Time at={nextAttemptAt} />
        </>
      )}
    </>
  )
}
