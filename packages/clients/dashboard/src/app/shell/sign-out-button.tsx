import { Button } from "@mantine/core"
import { notifications } from "@mantine/notifications"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { forgetSession } from "../api/query-client.ts"
import { signOut } from "../api/session-operations.ts"
import { teamTransport } from "../api/transport.ts"
import { detailOf } from "../components/problem.tsx"

export function SignOutButton() {
  const client = useQueryClient()
  const leaving = useMutation({
    mutationFn: () => signOut(teamTransport),
    onSuccess: () => forgetSession(client),
    onError: (error) =>
      notifications.show({ color: "red", title: "Not signed out", message: detailOf(error) }),
  })
  return (
    <Button variant="default" size="compact-xs" loading={leaving.isPending} onClick={() => leaving.mutate()}>
      Sign out
    </Button>
  )
}
