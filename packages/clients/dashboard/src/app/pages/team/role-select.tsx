import { NativeSelect } from "@mantine/core"
import type { Member } from "@sealway/sdk/api"

const ROLES = [
  { value: "owner", label: "owner: everything" },
  { value: "admin", label: "admin: all but members and team keys" },
  { value: "developer", label: "developer: sandbox apps, and reads production apps" },
  { value: "auditor", label: "auditor: reads" },
] as const

interface RoleSelectProps {
  readonly value: Member["role"]
  readonly onChange: (role: Member["role"]) => void
}

export function RoleSelect({ value, onChange }: RoleSelectProps) {
  return (
    <NativeSelect
      label="Role"
      value={value}
      onChange={({ currentTarget }) => {
        const chosen = ROLES.find((role) => role.value === currentTarget.value)
        if (chosen !== undefined) onChange(chosen.value)
      }}
      data={[...ROLES]}
    />
  )
}
