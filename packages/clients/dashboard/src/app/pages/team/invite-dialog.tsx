import { Alert, Button, Group, Stack, TextInput } from "@mantine/core"
import { createInvitation, type Member } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { teamTransport } from "../../api/transport.ts"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { INVITATIONS_KEY } from "./keys.ts"
import { RoleSelect } from "./role-select.tsx"

interface InviteDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Invites somebody by their e-mail address. */
export function InviteDialog({ isOpen, onClose }: InviteDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Invite somebody">
      <InviteForm onClose={onClose} />
    </Dialog>
  )
}

function InviteForm({ onClose }: Pick<InviteDialogProps, "onClose">) {
  const client = useQueryClient()
  const [email, setEmail] = useState("")
  const [role, setRole] = useState<Member["role"]>("developer")
  const inviting = useMutation({
    mutationFn: () => createInvitation(teamTransport, { body: { email, role } }),
    onSuccess: () => client.invalidateQueries({ queryKey: INVITATIONS_KEY }),
  })
  if (inviting.data) {
    return (
      <Stack gap="md">
        <Alert color="green" title={`${inviting.data.email} is invited`}>
          Nothing was sent: tell them to sign in within 7 days, with an account of this address.
        </Alert>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    )
  }
  return (
    <DialogForm change={inviting} action="Invite" onCancel={onClose}>
      <TextInput
        label="E-mail address"
        type="email"
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        required
        data-autofocus
      />
      <RoleSelect value={role} onChange={setRole} />
    </DialogForm>
  )
}
