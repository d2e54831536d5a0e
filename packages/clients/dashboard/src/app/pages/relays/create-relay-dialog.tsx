import { TextInput } from "@mantine/core"
import { createRelay } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { relayKey } from "./relay-query.ts"

interface CreateRelayDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Creates a relay that passes everything unchanged until it encrypts something, and leads to its routes. */
export function CreateRelayDialog({ isOpen, onClose }: CreateRelayDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Create a relay">
      <CreateRelayForm onClose={onClose} />
    </Dialog>
  )
}

function CreateRelayForm({ onClose }: Pick<CreateRelayDialogProps, "onClose">) {
  const { app, key, transport } = useApp()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [destinationDomain, setDestinationDomain] = useState("")
  const creating = useMutation({
    mutationFn: () => createRelay(transport, { body: { destinationDomain, unmatched: "refuse" } }),
    async onSuccess(relay) {
      client.setQueryData(relayKey(key, relay.id), relay)
      await client.invalidateQueries({ queryKey: [...key, "relays"], exact: true })
      await navigate({ to: "/apps/$appId/relays/$relayId", params: { appId: app.id, relayId: relay.id } })
    },
  })
  return (
    <DialogForm change={creating} action="Create" onCancel={onClose}>
      <TextInput
        label="Destination"
        description="The host that requests are passed on to, such as api.example.com. It cannot be changed later"
        value={destinationDomain}
        onChange={({ currentTarget }) => setDestinationDomain(currentTarget.value)}
        required
        spellCheck={false}
        data-autofocus
      />
    </DialogForm>
  )
}
