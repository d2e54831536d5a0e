import { Button, Group, Stack, Text, TextInput, Title } from "@mantine/core"
import { type ApiKey, createTeamKey, listTeamKeys, revokeTeamKey } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { teamTransport } from "../../api/transport.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { SecretOnce } from "../../components/secret-once.tsx"
import { Time } from "../../components/time.tsx"
import { useSession } from "../../session/session.tsx"
import { TEAM_KEYS_KEY } from "./keys.ts"

/** The keys that programs manage the team with: its apps, their keys, and its members. */
export function TeamKeys() {
  const { member } = useSession()
  const mayChange = member.role === "owner"
  const [isCreating, setCreating] = useState(false)
  return (
    <Stack component="section" gap="sm" aria-labelledby="team-keys">
      <Group justify="space-between">
        <Title order={2} size="h4" id="team-keys">
          Team keys
        </Title>
        {mayChange && <Button onClick={() => setCreating(true)}>Create a team key</Button>}
      </Group>
      <Text c="dimmed">
        A team key manages everything of the team, but decrypts nothing. To replace one, create another one,
        give it to the programs, and revoke the old one.
      </Text>
      <Dialog isOpen={isCreating} onClose={() => setCreating(false)} title="Create a team key">
        <CreateTeamKeyForm onClose={() => setCreating(false)} />
      </Dialog>
      <PagedList<ApiKey>
        label="Team keys"
        queryKey={TEAM_KEYS_KEY}
        fetchPage={(after, signal) =>
          listTeamKeys(teamTransport, { limit: PAGE_SIZE }, { signal }).page(after)
        }
        keyOf={({ id }) => id}
        columns={[
          { header: "Name", cell: ({ name }) => <Text fw={600}>{name}</Text> },
          {
            header: "Last used",
            cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : <Time at={lastUsedAt} />),
          },
          { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            header: "State",
            cell: ({ revokedAt }) =>
              revokedAt === null ? (
                "Works"
              ) : (
                <Text size="sm" c="dimmed">
                  Revoked <Time at={revokedAt} />
                </Text>
              ),
          },
          ...(mayChange
            ? [
                {
                  header: "Change",
                  cell: (each: ApiKey) => each.revokedAt === null && <RevokeTeamKey teamKey={each} />,
                },
              ]
            : []),
        ]}
        empty={<Text c="dimmed">The team has no key.</Text>}
      />
    </Stack>
  )
}

function CreateTeamKeyForm({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient()
  const [name, setName] = useState("")
  const creating = useMutation({
    mutationFn: () => createTeamKey(teamTransport, { body: { name } }),
    onSuccess: () => client.invalidateQueries({ queryKey: TEAM_KEYS_KEY }),
  })
  if (creating.data) return <SecretOnce name="team key" secret={creating.data.key} onDone={onClose} />
  return (
    <DialogForm change={creating} action="Create" onCancel={onClose}>
      <TextInput
        label="Name"
        description="Which program uses it, such as Deployment"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        required
        maxLength={100}
        data-autofocus
      />
    </DialogForm>
  )
}

function RevokeTeamKey({ teamKey }: { readonly teamKey: ApiKey }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const revoke = async () => {
    await revokeTeamKey(teamTransport, { keyId: teamKey.id })
    await client.invalidateQueries({ queryKey: TEAM_KEYS_KEY })
  }
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setOpen(true)}
        aria-label={`Revoke ${teamKey.name}`}
      >
        Revoke
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`Revoke ${teamKey.name}?`}
        action="Revoke"
        nameToType={teamKey.name}
        onConfirm={revoke}
      >
        <Text>
          Within 10 seconds, every request with this key is refused. This cannot be undone. Without any team
          key, only members can manage the team.
        </Text>
      </ConfirmDialog>
    </>
  )
}
