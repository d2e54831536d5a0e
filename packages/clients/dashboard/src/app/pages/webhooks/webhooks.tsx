import { Badge, Button, Group, Stack, Text, Title } from "@mantine/core"
import { createWebhookEndpoint, listWebhookEndpoints, type WebhookEndpoint } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { Page } from "../../components/page.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { SecretOnce } from "../../components/secret-once.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { EndpointActions } from "./endpoint-actions.tsx"
import { type EndpointDraft, EndpointFields, endpointOf } from "./endpoint-fields.tsx"
import { Events } from "./events.tsx"
import { TriggerEventDialog } from "./trigger-event-dialog.tsx"

/** Where an app's events are sent, and what became of each. */
export function Webhooks() {
  const { app, key, transport } = useApp()
  const may = useMay()
  const [open, setOpen] = useState<"create" | "trigger" | null>(null)
  const close = () => setOpen(null)
  const create = may("webhookEndpoint:create") && (
    <Button onClick={() => setOpen("create")}>Add an endpoint</Button>
  )
  const mayChange = may("webhookEndpoint:update")
  return (
    <Page
      title="Webhooks"
      about="Sealway posts what happens in this app to your endpoints, signed, and tries again until they accept it."
      actions={
        <>
          {app.environment === "sandbox" && may("webhookEvent:trigger") && (
            <Button variant="default" onClick={() => setOpen("trigger")}>
              Send a test event
            </Button>
          )}
          {create}
        </>
      }
    >
      <CreateEndpointDialog isOpen={open === "create"} onClose={close} />
      <TriggerEventDialog isOpen={open === "trigger"} onClose={close} />
      <Stack component="section" gap="md" aria-labelledby="endpoints">
        <Title order={2} size="h4" id="endpoints">
          Endpoints
        </Title>
        <PagedList<WebhookEndpoint>
          label="Endpoints"
          queryKey={[...key, "webhook-endpoints"]}
          fetchPage={(after, signal) =>
            listWebhookEndpoints(transport, { limit: PAGE_SIZE }, { signal }).page(after)
          }
          keyOf={({ id }) => id}
          columns={[
            { header: "Address", cell: (endpoint) => <Address of={endpoint} /> },
            { header: "Events", cell: ({ events }) => <Subscriptions events={events} /> },
            { header: "State", cell: ({ status }) => <EndpointState status={status} /> },
            { header: "Updated", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
            ...(mayChange
              ? [
                  {
                    header: "Change",
                    cell: (endpoint: WebhookEndpoint) => <EndpointActions endpoint={endpoint} />,
                  },
                ]
              : []),
          ]}
          empty={
            <EmptyState title="Events are sent nowhere">
              <Text c="dimmed">
                Add an endpoint of yours. To try events out on your machine, use{" "}
                <code>sealway webhooks listen</code>.
              </Text>
              {create}
            </EmptyState>
          }
        />
      </Stack>
      <Events />
    </Page>
  )
}

function Address({ of: { url, description } }: { readonly of: WebhookEndpoint }) {
  return (
    <>
      <Text size="sm">{url}</Text>
      {description !== null && (
        <Text size="xs" c="dimmed">
          {description}
        </Text>
      )}
    </>
  )
}

function Subscriptions({ events }: Pick<WebhookEndpoint, "events">) {
  return (
    <Group gap={4}>
      {events.map((event) => (
        <Badge key={event} variant="light" color="gray" tt="none">
          {event === "*" ? "all events" : event}
        </Badge>
      ))}
    </Group>
  )
}

function EndpointState({ status }: Pick<WebhookEndpoint, "status">) {
  return (
    <Badge variant="light" tt="none" color={status === "enabled" ? "green" : "gray"}>
      {status}
    </Badge>
  )
}

interface CreateEndpointDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Adds an endpoint, and shows the secret that signs its events once. */
function CreateEndpointDialog({ isOpen, onClose }: CreateEndpointDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Add an endpoint">
      <CreateEndpointForm onClose={onClose} />
    </Dialog>
  )
}

function CreateEndpointForm({ onClose }: Pick<CreateEndpointDialogProps, "onClose">) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const [draft, setDraft] = useState<EndpointDraft>({ url: "", events: ["*"], description: "" })
  const creating = useMutation({
    mutationFn: () => createWebhookEndpoint(transport, { body: endpointOf(draft) }),
    onSuccess: () => client.invalidateQueries({ queryKey: [...key, "webhook-endpoints"] }),
  })
  if (creating.data) {
    return <SecretOnce name="signing secret" secret={creating.data.secret} onDone={onClose} />
  }
  return (
    <DialogForm change={creating} action="Add" isIncomplete={draft.events.length === 0} onCancel={onClose}>
      <EndpointFields draft={draft} onChange={setDraft} />
    </DialogForm>
  )
}
