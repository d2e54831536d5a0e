import { Badge, Button, Group, Stack, Text } from "@mantine/core"
import { type Acquirer, listAcquirers } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { CreateAcquirerDialog } from "./acquirer-dialogs.tsx"
import { NETWORK_NAMES } from "./acquirer-draft.ts"

/** The merchants' banks, and where they are enrolled. */
export function Acquirers() {
  const { app, key, transport } = useApp()
  const may = useMay()
  const [isCreating, setCreating] = useState(false)
  const create = may("acquirer:create") && (
    <Button onClick={() => setCreating(true)}>Create an acquirer</Button>
  )
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text c="dimmed">
          The banks that take payments for your merchants. Networks ask for them in 3-D Secure.
        </Text>
        {create}
      </Group>
      <CreateAcquirerDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <PagedList<Acquirer>
        label="Acquirers"
        queryKey={[...key, "acquirers"]}
        fetchPage={(after, signal) =>
          listAcquirers(transport, { pageSize: PAGE_SIZE }, { signal }).page(after)
        }
        keyOf={({ id }) => id}
        columns={[
          {
            header: "Name",
            cell: ({ id, name, default: isDefault }) => (
              <Group gap="xs">
                <Link
                  className={rowLinkClass}
                  to="/apps/$appId/payments/acquirers/$acquirerId"
                  params={{ appId: app.id, acquirerId: id }}
                >
                  {name}
                </Link>
                {isDefault && <DefaultBadge />}
              </Group>
            ),
          },
          { header: "Networks", cell: (acquirer) => <Networks acquirer={acquirer} /> },
          { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState title="There is no acquirer">
            <Text c="dimmed">
              Create one with the BIN and the merchant identifier that your bank gave you for each network. A
              sandbox app has a built-in one for 3-D Secure.
            </Text>
            {create}
          </EmptyState>
        }
      />
    </Stack>
  )
}

/** Marks the acquirer of 3-D Secure sessions that name none. */
export function DefaultBadge() {
  return (
    <Badge variant="light" tt="none">
      default
    </Badge>
  )
}

function Networks({ acquirer: { configurations } }: { readonly acquirer: Acquirer }) {
  return (
    <Group gap="xs">
      {configurations.map(({ network, state }) => (
        <Group gap={4} key={network}>
          <Text size="sm">{NETWORK_NAMES[network]}</Text>
          <Status status={state} />
        </Group>
      ))}
    </Group>
  )
}
