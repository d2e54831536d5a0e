import { TextInput } from "@mantine/core"
import { createDataRole } from "@sealway/sdk/api"
import { ApiError } from "@sealway/sdk/browser"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { errorAt } from "./draft.ts"

interface CreateRoleDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Creates a data role, and leads to it. */
export function CreateRoleDialog({ isOpen, onClose }: CreateRoleDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Create a role">
      <CreateRoleForm onClose={onClose} />
    </Dialog>
  )
}

function CreateRoleForm({ onClose }: Pick<CreateRoleDialogProps, "onClose">) {
  const { app, transport, key } = useApp()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [slug, setSlug] = useState("")
  const [name, setName] = useState("")
  const creating = useMutation({
    mutationFn: () => createDataRole(transport, { body: { slug, name: name === "" ? slug : name } }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: [...key, "policy-book"] })
      await navigate({ to: "/apps/$appId/policies/roles/$slug", params: { appId: app.id, slug } })
    },
  })
  const fields = creating.error instanceof ApiError ? creating.error.fields : []
  return (
    <DialogForm change={creating} action="Create" onCancel={onClose} showsProblem={fields.length === 0}>
      <TextInput
        label="Slug"
        description="1 to 20 characters: a-z, 0-9 and -. It is sealed into values and cannot be changed."
        value={slug}
        error={errorAt(fields, "/slug")}
        onChange={({ currentTarget }) => setSlug(currentTarget.value)}
        required
        maxLength={20}
        data-autofocus
      />
      <TextInput
        label="Name"
        description="What it stands for, such as Card numbers"
        value={name}
        error={errorAt(fields, "/name")}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        maxLength={100}
      />
    </DialogForm>
  )
}
