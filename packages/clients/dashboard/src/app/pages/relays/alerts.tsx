import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from "@mantine/core"
import { notifications } from "@mantine/notifications"
import {
  createRelayAlert,
  deleteRelayAlert,
  listRelayAlerts,
  type Relay,
  type RelayAlert,
  testRelayAlert,
} from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { useApp } from "../../api/app.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { EmptyState } from "../../components/empty-state.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { LeakFindings } from "./leak-findings.tsx"
import { relayKey } from "./relay-query.ts"

/** Who is alerted of a relay's errors and leaks, and what its leak watch has found. */
export function RelayAlerts({ relay }: { readonly relay: Relay }) {
  const { key, transport } = useApp()
  const may = useMay()
  const queryKey = [...relayKey(key, relay.id), "alerts"]
  return (
    <Stack gap="xl">
      <Stack component="section" gap="md" aria-labelledby="alerts">
        <Title order={2} size="h4" id="alerts">
          Alerts
        </Title>
        <Text c="dimmed">
          Sent when the relay refuses or fails a request, or finds a leak: at most once a minute for each
          error code. Each one links to the request's page here.
        </Text>
        <PagedList<RelayAlert>
          label="Alerts"
          queryKey={queryKey}
          fetchPage={(after, signal) =>
            listRelayAlerts(transport, { relayId: relay.id, limit: PAGE_SIZE }, { signal }).page(after)
          }
          keyOf={({ id }) => id}
          columns={[
            { header: "Sent to", cell: ({ url }) => hostOf(url) },
            { header: "Type", cell: ({ type }) => (type === "chat" ? "Chat message" : "Webhook") },
            { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
            ...(may("relayAlert:update")
              ? [{ header: "Change", cell: (alert: RelayAlert) => <AlertActions alert={alert} /> }]
              : []),
          ]}
          empty={
            <EmptyState title="Nobody is alerted">Add the address of a chat tool or of your own.</EmptyState>
          }
        />
        {may("relayAlert:create") && <CreateAlert relayId={relay.id} />}
      </Stack>
      <LeakFindings relay={relay} />
    </Stack>
  )
}

/** Only the host: paths of receivers are often secrets. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "an address that is not valid"
}

function AlertActions({ alert }: { readonly alert: RelayAlert }) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const place = { relayId: alert.relay, alertId: alert.id }
  const host = hostOf(alert.url)
  const testing = useMutation({
    mutationFn: () => testRelayAlert(transport, place),
    onSuccess: () =>
      notifications.show({ title: "A test is on its way", message: `It is sent to ${host} only.` }),
    onError: ({ message }) => notifications.show({ title: "No test was sent", message, color: "red" }),
  })
  const remove = async () => {
    await deleteRelayAlert(transport, place)
    await client.invalidateQueries({ queryKey: [...relayKey(key, alert.relay), "alerts"] })
  }
  return (
    <Group gap={4}>
      <Button
        size="compact-xs"
        variant="default"
        loading={testing.isPending}
        onClick={() => testing.mutate()}
        aria-label={`Send a test to ${host}`}
      >
        Send a test
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setDeleting(true)}
        aria-label={`Delete the alert to ${host}`}
      >
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete the alert to ${host}?`}
        action="Delete"
        onConfirm={remove}
      >
        <Text>No further alerts about this relay are sent there.</Text>
      </ConfirmDialog>
    </Group>
  )
}

function CreateAlert({ relayId }: { readonly relayId: string }) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const [type, setType] = useState<RelayAlert["type"]>("chat")
  const [url, setUrl] = useState("")
  const creating = useMutation({
    mutationFn: () => createRelayAlert(transport, { relayId, body: { type, url } }),
    async onSuccess() {
      setUrl("")
      await client.invalidateQueries({ queryKey: [...relayKey(key, relayId), "alerts"] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creating.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group gap="sm" align="flex-end">
          <NativeSelect
            label="Type"
            value={type}
            onChange={({ currentTarget }) => setType(currentTarget.value === "webhook" ? "webhook" : "chat")}
            data={[
              { value: "chat", label: "Chat message" },
              { value: "webhook", label: "Webhook" },
            ]}
          />
          <TextInput
            label="URL"
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
            required
            flex="1 1 14rem"
            autoComplete="off"
            spellCheck={false}
          />
          <Button type="submit" loading={creating.isPending}>
            Add an alert
          </Button>
        </Group>
        {creating.error && <Problem error={creating.error} />}
      </Stack>
    </form>
  )
}
