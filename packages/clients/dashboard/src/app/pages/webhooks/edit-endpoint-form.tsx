import { updateWebhookEndpoint, type WebhookEndpoint } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { DialogForm } from "../../components/form-dialog.tsx"
import { type EndpointDraft, EndpointFields, endpointOf } from "./endpoint-fields.tsx"

interface EditEndpointFormProps {
  readonly endpoint: WebhookEndpoint
  readonly onClose: () => void
}

/** Changes where events are sent, and which. The signing secret stays. */
export function EditEndpointForm({ endpoint, onClose }: EditEndpointFormProps) {
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
