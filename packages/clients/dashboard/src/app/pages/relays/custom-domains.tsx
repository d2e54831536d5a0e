import { Badge, Button, Code, Group, Paper, Stack, Table, Text, TextInput, Title } from "@mantine/core"
import {
  createRelayCustomDomain,
  deleteRelayCustomDomain,
  listRelayCustomDomains,
  type RelayCustomDomain,
  verifyRelayCustomDomain,
} from "@sealway/sdk/api"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { useApp } from "../../api/app.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { CopyButton } from "../../components/copy-button.tsx"
import { EmptyState } from "../../components/empty-state.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { relayKey } from "./relay-query.ts"

const PROBLEMS: Readonly<Record<NonNullable<RelayCustomDomain["problem"]>, string>> = {
  "txt-missing": "The TXT record is missing, or not visible yet.",
  "txt-mismatch": "The TXT record has another value.",
  "cname-missing": "The CNAME record is missing, or not visible yet.",
  "cname-mismatch": "The CNAME record leads elsewhere.",
  "dns-timeout": "The domain's name servers did not answer in time.",
  "dns-unavailable": "The domain's name servers could not be asked.",
  taken: "Another app has verified this domain.",
  "edge-failed": "The records are right, but the domain could not be set up. Check again.",
}

const COLORS: Readonly<Record<RelayCustomDomain["status"], string>> = {
  active: "green",
  failed: "red",
  pending: "gray",
  verified: "gray",
}

/** A relay's own domains of the team: the records to make, and whether they are right. */
export function CustomDomains({ relayId }: { readonly relayId: string }) {
  const { key, transport } = useApp()
  const may = useMay()
  const domains = useQuery({
    queryKey: [...relayKey(key, relayId), "custom-domains"],
    // A relay has few: all of them are shown.
    queryFn: ({ signal }) => listRelayCustomDomains(transport, { relayId, limit: 100 }, { signal }).first(),
  })
  return (
    <Stack gap="md">
      <Text c="dimmed">
        Send requests to a domain of your own instead of the relay's. Add both DNS records, then check them.
      </Text>
      {domains.error && <Problem error={domains.error} onRetry={() => domains.refetch()} />}
      {domains.data?.length === 0 && (
        <EmptyState title="No custom domain">Only the relay's own domain leads to it.</EmptyState>
      )}
      {domains.data?.map((domain) => (
        <CustomDomain key={domain.id} domain={domain} />
      ))}
      {may("relayCustomDomain:create") && <AddDomain relayId={relayId} />}
    </Stack>
  )
}

function CustomDomain({ domain }: { readonly domain: RelayCustomDomain }) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const may = useMay()
  const [isDeleting, setDeleting] = useState(false)
  const place = { relayId: domain.relay, customDomainId: domain.id }
  const refresh = () =>
    client.invalidateQueries({ queryKey: [...relayKey(key, domain.relay), "custom-domains"] })
  const checking = useMutation({
    mutationFn: () => verifyRelayCustomDomain(transport, place),
    onSuccess: refresh,
  })
  const remove = async () => {
    await deleteRelayCustomDomain(transport, place)
    await refresh()
  }
  return (
    <Paper withBorder p="md" component="section" aria-label={domain.domain}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="sm">
            <Title order={2} size="h4">
              {domain.domain}
            </Title>
            <Badge variant="light" tt="none" color={COLORS[domain.status]}>
              {domain.status}
            </Badge>
          </Group>
          <Group gap="sm">
            {may("relayCustomDomain:verify") && (
              <Button size="xs" loading={checking.isPending} onClick={() => checking.mutate()}>
                Check the records
              </Button>
            )}
            {may("relayCustomDomain:delete") && (
              <Button size="xs" variant="default" onClick={() => setDeleting(true)}>
                Delete
              </Button>
            )}
          </Group>
        </Group>
        <Table aria-label={`DNS records of ${domain.domain}`} layout="fixed">
          <Table.Tbody>
            {domain.records.map(({ type, name, value }) => (
              <Table.Tr key={type}>
                <Table.Th scope="row" w="5.5rem">
                  {type}
                </Table.Th>
                <Table.Td>
                  <Stack gap={6} align="flex-start">
                    <Group gap="xs">
                      <Code>{name}</Code>
                      <CopyButton value={name} label={`Copy the name of the ${type} record`} />
                    </Group>
                    <Group gap="xs">
                      <Code>{value}</Code>
                      <CopyButton value={value} label={`Copy the value of the ${type} record`} />
                    </Group>
                  </Stack>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Text size="sm" role="status">
          {domain.problem !== null && `${PROBLEMS[domain.problem]} `}
          {domain.checkedAt === null ? (
            "Not checked yet."
          ) : (
            <>
              Checked <Time at={domain.checkedAt} />
            </>
          )}
        </Text>
        {checking.error && <Problem error={checking.error} />}
      </Stack>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${domain.domain}?`}
        action="Delete"
        nameToType={domain.domain}
        onConfirm={remove}
      >
        <Text>Requests to {domain.domain} no longer reach the relay. Its DNS records are not changed.</Text>
      </ConfirmDialog>
    </Paper>
  )
}

function AddDomain({ relayId }: { readonly relayId: string }) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const [domain, setDomain] = useState("")
  const adding = useMutation({
    mutationFn: () => createRelayCustomDomain(transport, { relayId, body: { domain } }),
    async onSuccess() {
      setDomain("")
      await client.invalidateQueries({ queryKey: [...relayKey(key, relayId), "custom-domains"] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    adding.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group gap="sm" align="flex-end">
          <TextInput
            label="Domain"
            placeholder="payments.example.com"
            value={domain}
            onChange={({ currentTarget }) => setDomain(currentTarget.value)}
            required
            flex="1 1 14rem"
            spellCheck={false}
          />
          <Button type="submit" loading={adding.isPending}>
            Add a domain
          </Button>
        </Group>
        {adding.error && <Problem error={adding.error} />}
      </Stack>
    </form>
  )
}
