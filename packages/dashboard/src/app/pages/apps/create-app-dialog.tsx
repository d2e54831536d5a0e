import { Button, Group, Modal, NativeSelect, Stack, TextInput } from "@mantine/core"
import { createApp } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { APPS_KEY } from "../../api/app.tsx"
import { teamTransport } from "../../api/transport.ts"
import { Problem } from "../../components/problem.tsx"

interface CreateAppDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Creates an app, and leads to it. */
export function CreateAppDialog({ isOpen, onClose }: CreateAppDialogProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Create an app"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {isOpen && <CreateAppForm onClose={onClose} />}
    </Modal>
  )
}

function CreateAppForm({ onClose }: Pick<CreateAppDialogProps, "onClose">) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState("")
  const [environment, setEnvironment] = useState<"sandbox" | "production">("sandbox")
  const creating = useMutation({
    mutationFn: () => createApp(teamTransport, { body: { name, environment } }),
    async onSuccess({ id }) {
      await client.invalidateQueries({ queryKey: APPS_KEY })
      await navigate({ to: "/apps/$appId", params: { appId: id } })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creating.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          required
          maxLength={100}
          data-autofocus
        />
        <NativeSelect
          label="Environment"
          description="Cannot be changed later: the values of sandbox and production apps never mix"
          value={environment}
          onChange={({ currentTarget }) =>
            setEnvironment(currentTarget.value === "production" ? "production" : "sandbox")
          }
          data={["sandbox", "production"]}
        />
        {creating.error && <Problem error={creating.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={creating.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
