import { Button, Group, Stack, Text, TextInput, Title } from "@mantine/core"
import { notifications } from "@mantine/notifications"
import { updateTeam } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { SESSION_KEY } from "../../api/query-client.ts"
import { teamTransport } from "../../api/transport.ts"
import { Page } from "../../components/page.tsx"
import { Problem } from "../../components/problem.tsx"
import { useSession } from "../../session/session.tsx"
import { useMayManageTeam } from "../../session/use-may-manage.ts"
import { TeamKeys } from "./team-keys.tsx"

/** What the team is called, and the keys that programs act on the whole team with. */
export function TeamSettings() {
  const { team } = useSession()
  return (
    <Page title="Team settings" about={`The id of ${team.name} is ${team.id}.`}>
      <TeamName key={team.name} />
      <TeamKeys />
    </Page>
  )
}

function TeamName() {
  const session = useSession()
  const { team } = session
  const mayChange = useMayManageTeam()
  const client = useQueryClient()
  const [name, setName] = useState(team.name)
  const renaming = useMutation({
    mutationFn: () => updateTeam(teamTransport, { body: { name } }),
    onSuccess(renamed) {
      notifications.show({ title: "Renamed", message: `The team is called ${renamed.name}.` })
      // Other processes may know the old name for some seconds.
      client.setQueryData(SESSION_KEY, { ...session, team: { id: renamed.id, name: renamed.name } })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    renaming.mutate()
  }
  return (
    <Stack component="section" gap="sm" aria-labelledby="team-name">
      <Title order={2} size="h4" id="team-name">
        Name
      </Title>
      {mayChange ? (
        <form onSubmit={submit}>
          <Stack gap="sm" maw="40rem">
            <TextInput
              label="Name of the team"
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
              required
              maxLength={100}
            />
            {renaming.error && <Problem error={renaming.error} />}
            <Group>
              <Button type="submit" loading={renaming.isPending} disabled={name === team.name}>
                Rename
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Text>{team.name}</Text>
      )}
    </Stack>
  )
}
