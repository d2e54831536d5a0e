import { createWebhookEndpoint } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { SecretOnce } from "../../components/secret-once.tsx"
import { type EndpointDraft, EndpointFields, endpointOf } from "./endpoint-fields.tsx"

interface CreateEndpointDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Adds an endpoint, and shows the secret that signs its events once. */
export function CreateEndpointDialog({ isOpen, onClose }: CreateEndpointDialogProps) {
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
