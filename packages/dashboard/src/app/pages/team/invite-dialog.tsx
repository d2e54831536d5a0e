import { Alert, Button, Group, Modal, Stack, TextInput } from "@mantine/core"
import { createInvitation, type Member } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { teamTransport } from "../../api/transport.ts"
import { Problem } from "../../components/problem.tsx"
import { INVITATIONS_KEY } from "./keys.ts"
import { RoleSelect } from "./role-select.tsx"

interface InviteDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Invites somebody by their e-mail address. */
export function InviteDialog({ isOpen, onClose }: InviteDialogProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Invite somebody"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {isOpen && <InviteForm onClose={onClose} />}
    </Modal>
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    inviting.mutate()
  }
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
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="E-mail address"
          type="email"
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          required
          data-autofocus
        />
        <RoleSelect value={role} onChange={setRole} />
        {inviting.error && <Problem error={inviting.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={inviting.isPending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
