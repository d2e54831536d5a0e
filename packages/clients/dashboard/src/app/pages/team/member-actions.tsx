import { Button, Group, Text } from "@mantine/core"
import { deleteMember, type Member, updateMember } from "@sealway/sdk/api"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { teamTransport } from "../../api/transport.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { MEMBERS_KEY } from "./keys.ts"
import { RoleSelect } from "./role-select.tsx"

/** Changes the role of a member, or removes them. */
export function MemberActions({ member }: { readonly member: Member }) {
  const client = useQueryClient()
  const [open, setOpen] = useState<"role" | "remove" | null>(null)
  const [role, setRole] = useState(member.role)
  const who = member.email ?? member.name
  const close = () => setOpen(null)
  const reload = () => client.invalidateQueries({ queryKey: MEMBERS_KEY })
  const change = async () => {
    await updateMember(teamTransport, { memberId: member.id, body: { role } })
    await reload()
  }
  const remove = async () => {
    await deleteMember(teamTransport, { memberId: member.id })
    await reload()
  }
  return (
    <Group gap={4}>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setOpen("role")}
        aria-label={`Change the role of ${who}`}
      >
        Role
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setOpen("remove")}
        aria-label={`Remove ${who}`}
      >
        Remove
      </Button>
      <ConfirmDialog
        isOpen={open === "role"}
        onClose={close}
        title={`Change the role of ${who}`}
        action="Change"
        onConfirm={change}
      >
        <RoleSelect value={role} onChange={setRole} />
        <Text size="sm" mt="sm">
          Their sessions end within 10 seconds; they sign in again with the new role.
        </Text>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={open === "remove"}
        onClose={close}
        title={`Remove ${who}?`}
        action="Remove"
        nameToType={who}
        onConfirm={remove}
      >
        <Text>Their sessions end within 10 seconds. Revoke keys that they have seen separately.</Text>
      </ConfirmDialog>
    </Group>
  )
}
