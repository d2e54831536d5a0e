import { Badge, Button, Group, Stack, Text, Title } from "@mantine/core"
import { type ApiKey, listApiKeys } from "@sealway/sdk/api"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { teamTransport } from "../../api/transport.ts"
import { now } from "../../clock.ts"
import { Countdown } from "../../components/countdown.tsx"
import { EmptyState } from "../../components/empty-state.tsx"
import { Page } from "../../components/page.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { Time } from "../../components/time.tsx"
import { useMayManage } from "../../session/use-may-manage.ts"
import { CreateKeyDialog } from "./create-key-dialog.tsx"
import { EncryptionKeys } from "./encryption-keys.tsx"
import { KeyActions } from "./key-actions.tsx"

/** The keys of an app: those that programs call the API with, and those that values are encrypted with. */
export function Keys() {
  const { app, key } = useApp()
  const mayManage = useMayManage(app.environment)
  const [isCreating, setCreating] = useState(false)
  const create = <Button onClick={() => setCreating(true)}>Create an API key</Button>
  return (
    <Page
      title="Keys"
      about={`What programs call the API with as ${app.name}, and what its values are encrypted with.`}
      actions={mayManage && create}
    >
      <CreateKeyDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <Stack component="section" gap="md" aria-labelledby="api-keys">
        <Title order={2} size="h4" id="api-keys">
          API keys
        </Title>
        <PagedList<ApiKey>
          label="API keys"
          queryKey={[...key, "api-keys"]}
          fetchPage={(after, signal) =>
            listApiKeys(teamTransport, { appId: app.id, limit: PAGE_SIZE }, { signal }).page(after)
          }
          keyOf={({ id }) => id}
          columns={[
            { header: "Name", cell: ({ name }) => <Text fw={600}>{name}</Text> },
            { header: "Scopes", cell: (each) => <Scopes of={each} /> },
            {
              header: "Last used",
              cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : <Time at={lastUsedAt} />),
            },
            { header: "State", cell: (each) => <KeyState of={each} /> },
            ...(mayManage
              ? [
                  {
                    header: "Change",
                    cell: (each: ApiKey) => <KeyActions apiKey={each} isUsable={isUsable(each)} />,
                  },
                ]
              : []),
          ]}
          empty={
            <EmptyState title="This app has no API key">
              <Text c="dimmed">Programs need one to call the API. It is shown once, when you create it.</Text>
              {mayManage && create}
            </EmptyState>
          }
        />
      </Stack>
      <EncryptionKeys />
    </Page>
  )
}

const isUsable = ({ revokedAt, expiresAt }: ApiKey) =>
  revokedAt === null && (expiresAt === null || expiresAt > now())

function Scopes({ of: { scopes } }: { readonly of: ApiKey }) {
  if (scopes.length === 0) return <Text size="sm">Encrypts only</Text>
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Badge
          key={scope}
          variant="light"
          color={scope === "*" || scope === "api:decrypt" ? "yellow" : "gray"}
          tt="none"
        >
          {scope === "*" ? "everything" : scope}
        </Badge>
      ))}
    </Group>
  )
}

function KeyState({ of: { revokedAt, expiresAt } }: { readonly of: ApiKey }) {
  if (revokedAt !== null) {
    return (
      <Text size="sm" c="dimmed">
        Revoked <Time at={revokedAt} />
      </Text>
    )
  }
  if (expiresAt === null) return <Text size="sm">Works</Text>
  return (
    <Text size="sm">
      {expiresAt > now() ? "Works until" : "Expired"} <Time at={expiresAt} />
      {expiresAt > now() && (
        <>
          , <Countdown until={expiresAt} /> more
        </>
      )}
    </Text>
  )
}
