import { Button, Group, Text } from "@mantine/core"
import { notifications } from "@mantine/notifications"
import {
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
  type WebhookEndpoint,
} from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { RotationForm } from "../../components/rotation-form.tsx"
import { type EndpointDraft, EndpointFields, endpointOf } from "./endpoint-fields.tsx"

/** What can be done with an endpoint. */
export function EndpointActions({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { app, key, transport } = useApp()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [open, setOpen] = useState<"edit" | "rotate" | "switch" | "delete" | null>(null)
  const close = () => setOpen(null)
  const { id, url, status } = endpoint
  const place = { webhookEndpointId: id }
  const host = URL.parse(url)?.host ?? url
  const isEnabled = status === "enabled"
  const refresh = () => client.invalidateQueries({ queryKey: [...key, "webhook-endpoints"] })
  const testing = useMutation({
    mutationFn: () => testWebhookEndpoint(transport, place),
    onSuccess: (event) =>
      navigate({ to: "/apps/$appId/webhooks/events/$eventId", params: { appId: app.id, eventId: event.id } }),
    onError: ({ message }) => notifications.show({ title: "No test was sent", message, color: "red" }),
  })
  const rotate = async (overlapSeconds: number) => {
    const { secret } = await rotateWebhookSecret(transport, { ...place, body: { overlapSeconds } })
    return secret
  }
  const change = async (changing: Promise<unknown>) => {
    await changing
    await refresh()
  }
  return (
    <Group gap={4}>
      <Button
        size="compact-xs"
        variant="default"
        loading={testing.isPending}
        disabled={!isEnabled}
        onClick={() => testing.mutate()}
        aria-label={`Send a test to ${url}`}
      >
        Test
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => setOpen("edit")} aria-label={`Edit ${url}`}>
        Edit
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setOpen("switch")}
        aria-label={`${isEnabled ? "Disable" : "Enable"} ${url}`}
      >
        {isEnabled ? "Disable" : "Enable"}
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setOpen("rotate")}
        aria-label={`Rotate secret of ${url}`}
      >
        Rotate secret
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setOpen("delete")}
        aria-label={`Delete ${url}`}
      >
        Delete
      </Button>
      <Dialog isOpen={open === "edit"} onClose={close} title="Edit the endpoint">
        <EditEndpointForm endpoint={endpoint} onClose={close} />
      </Dialog>
      <Dialog isOpen={open === "rotate"} onClose={close} title="Rotate the signing secret">
        <RotationForm noun="secret" secretName="new signing secret" rotate={rotate} onClose={close}>
          Until the overlap ends, events are signed with both secrets, and either one verifies them.
        </RotationForm>
      </Dialog>
      <ConfirmDialog
        isOpen={open === "switch"}
        onClose={close}
        title={isEnabled ? "Disable the endpoint?" : "Enable the endpoint?"}
        action={isEnabled ? "Disable" : "Enable"}
        onConfirm={() =>
          change(
            updateWebhookEndpoint(transport, {
              ...place,
              body: { status: isEnabled ? "disabled" : "enabled" },
            }),
          )
        }
      >
        <Text>
          {isEnabled
            ? "Events are no longer sent to it. Those that happen meanwhile are not sent later."
            : "Events that happen from now on are sent to it."}
        </Text>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={open === "delete"}
        onClose={close}
        title={`Delete the endpoint at ${host}?`}
        action="Delete"
        nameToType={host}
        onConfirm={() => change(deleteWebhookEndpoint(transport, place))}
      >
        <Text>Events are no longer sent to {url}, and its secret is gone. This cannot be undone.</Text>
      </ConfirmDialog>
    </Group>
  )
}

interface EditEndpointFormProps {
  readonly endpoint: WebhookEndpoint
  readonly onClose: () => void
}

/** Changes where events are sent, and which. The signing secret stays. */
function EditEndpointForm({ endpoint, onClose }: EditEndpointFormProps) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const { url, events, description } = endpoint
  const [draft, setDraft] = useState<EndpointDraft>({ url, events, description: description ?? "" })
  const saving = useMutation({
    mutationFn: () =>
      updateWebhookEndpoint(transport, { webhookEndpointId: endpoint.id, body: endpointOf(draft) }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: [...key, "webhook-endpoints"] })
      onClose()
    },
  })
  return (
    <DialogForm change={saving} action="Save" isIncomplete={draft.events.length === 0} onCancel={onClose}>
      <EndpointFields draft={draft} onChange={setDraft} />
    </DialogForm>
  )
}
