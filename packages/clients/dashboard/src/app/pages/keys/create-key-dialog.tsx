import { NativeSelect, TextInput } from "@mantine/core"
import { createApiKey } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { teamTransport } from "../../api/transport.ts"
import { now } from "../../clock.ts"
import { ChoicesField } from "../../components/choices-field.tsx"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { SecretOnce } from "../../components/secret-once.tsx"
import { isScope, SCOPE_GROUPS } from "./scopes.ts"

const DAY_MS = 24 * 60 * 60 * 1000

interface CreateKeyDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Creates an API key, and shows it once. */
export function CreateKeyDialog({ isOpen, onClose }: CreateKeyDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Create an API key">
      <CreateKeyForm onClose={onClose} />
    </Dialog>
  )
}

function CreateKeyForm({ onClose }: Pick<CreateKeyDialogProps, "onClose">) {
  const { app, key } = useApp()
  const client = useQueryClient()
  const [name, setName] = useState("")
  const [scopes, setScopes] = useState<readonly string[]>([])
  const [days, setDays] = useState("")
  const creating = useMutation({
    mutationFn: () =>
      createApiKey(teamTransport, {
        appId: app.id,
        body: {
          name,
          scopes: scopes.filter(isScope),
          ...(days !== "" && { expiresAt: now() + Number(days) * DAY_MS }),
        },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: [...key, "api-keys"] }),
  })
  if (creating.data) return <SecretOnce name="API key" secret={creating.data.key} onDone={onClose} />
  return (
    <DialogForm change={creating} action="Create" onCancel={onClose}>
      <TextInput
        label="Name"
        description="Which program uses it, such as Checkout server"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        required
        maxLength={100}
        data-autofocus
      />
      <ChoicesField
        label="Scopes"
        description="What it may do besides encrypting, which every key may"
        data={SCOPE_GROUPS}
        value={scopes}
        onChange={setScopes}
        clearLabel="Clear the scopes"
      />
      <NativeSelect
        label="Expires"
        value={days}
        onChange={({ currentTarget }) => setDays(currentTarget.value)}
        data={[
          { value: "", label: "Never" },
          { value: "7", label: "In 7 days" },
          { value: "30", label: "In 30 days" },
          { value: "90", label: "In 90 days" },
          { value: "365", label: "In a year" },
        ]}
      />
    </DialogForm>
  )
}
