import { Badge, Group } from "@mantine/core"
import type { HoneyToken } from "@sealway/sdk/api"
import { Time } from "../../components/time.tsx"

/** Whether somebody has tried to decrypt a honey token, and when last. */
export function Touched({ at }: { readonly at: HoneyToken["lastTouchedAt"] }) {
  if (at === null) return "Never"
  return (
    <Group gap="xs">
      <Badge variant="light" tt="none" color="red">
        touched
      </Badge>
      <Time at={at} />
    </Group>
  )
}
