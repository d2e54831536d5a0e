import { NativeSelect, TextInput } from "@mantine/core"
import { createApp } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { APPS_KEY } from "../../api/app.ts"
import { teamTransport } from "../../api/transport.ts"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"

interface CreateAppDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Creates an app, and leads to it. */
export function CreateAppDialog({ isOpen, onClose }: CreateAppDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Create an app">
      <CreateAppForm onClose={onClose} />
    </Dialog>
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
  return (
    <DialogForm change={creating} action="Create" onCancel={onClose}>
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
    </DialogForm>
  )
}
