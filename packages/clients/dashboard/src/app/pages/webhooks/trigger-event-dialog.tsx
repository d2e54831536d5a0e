import { NativeSelect, Text } from "@mantine/core"
import { triggerWebhookEvent } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { EVENT_TYPES, type EventType } from "./webhook-search.ts"

interface TriggerEventDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Sends a sample event of a type, and leads to its deliveries. */
export function TriggerEventDialog({ isOpen, onClose }: TriggerEventDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Send a test event">
      <TriggerEventForm onClose={onClose} />
    </Dialog>
  )
}

function TriggerEventForm({ onClose }: Pick<TriggerEventDialogProps, "onClose">) {
  const { app, key, transport } = useApp()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [type, setType] = useState<EventType>("relay.error")
  const sending = useMutation({
    mutationFn: () => triggerWebhookEvent(transport, { body: { type } }),
    async onSuccess({ id }) {
      await client.invalidateQueries({ queryKey: [...key, "webhook-events"] })
      await navigate({ to: "/apps/$appId/webhooks/events/$eventId", params: { appId: app.id, eventId: id } })
    },
  })
  return (
    <DialogForm change={sending} action="Send" onCancel={onClose}>
      <Text>
        All endpoints and listeners that subscribe to the type get a made-up event, with{" "}
        <code>"test": true</code> in its data.
      </Text>
      <NativeSelect
        label="Type"
        value={type}
        onChange={({ currentTarget }) =>
          setType(EVENT_TYPES.find((each) => each === currentTarget.value) ?? type)
        }
        data={EVENT_TYPES}
      />
    </DialogForm>
  )
}
