import { Button, Group, Modal, MultiSelect, Stack, TextInput } from "@mantine/core"
import { createWebhookEndpoint } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { useApp } from "../../api/app.tsx"
import { Problem } from "../../components/problem.tsx"
import { SecretOnce } from "../../components/secret-once.tsx"
import { EVENT_TYPES } from "./webhook-search.ts"

interface CreateEndpointDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Adds an endpoint, and shows the secret that signs its events once. */
export function CreateEndpointDialog({ isOpen, onClose }: CreateEndpointDialogProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Add an endpoint"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {isOpen && <CreateEndpointForm onClose={onClose} />}
    </Modal>
  )
}

const CHOICES = [
  { value: "*", label: "all events" },
  { value: "payments.*", label: "all of payments" },
  { value: "enclave.deployment.*", label: "all of enclave deployments" },
  ...EVENT_TYPES.map((type) => ({ value: type, label: type })),
]

function CreateEndpointForm({ onClose }: Pick<CreateEndpointDialogProps, "onClose">) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const [url, setUrl] = useState("")
  const [events, setEvents] = useState<string[]>(["*"])
  const [description, setDescription] = useState("")
  const creating = useMutation({
    mutationFn: () =>
      createWebhookEndpoint(transport, {
        body: { url, events, description: description === "" ? null : description },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: [...key, "webhook-endpoints"] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creating.mutate()
  }
  if (creating.data) {
    return <SecretOnce name="signing secret" secret={creating.data.secret} onDone={onClose} />
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="URL"
          description="It must be https, at a public address"
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          required
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        <MultiSelect
          label="Events"
          data={CHOICES}
          value={events}
          onChange={setEvents}
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Clear the events" }}
        />
        <TextInput
          label="Description"
          description="For people; it may be empty"
          value={description}
          onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          maxLength={200}
        />
        {creating.error && <Problem error={creating.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={creating.isPending} disabled={events.length === 0}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
