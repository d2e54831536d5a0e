import { Alert, Button, List, Loader, Stack, Table, Text } from "@mantine/core"
import { type Relay, updateRelay } from "@sealway/sdk/api"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { latestRequests } from "./latest-requests.ts"
import { relayKey } from "./relay-query.ts"
import { refusedWhenTight, tightened } from "./tightening.ts"

const OF_PASSING: ReadonlySet<string> = new Set([
  "unmatched-pass",
  "content-types-pass",
  "unknown-content-types-pass",
  "locations-pass",
])
const MAX_SHOWN = 20

/** What a relay passes without a route or a selection, and the button that ends it; nothing if it passes nothing. */
export function Tighten({ relay }: { readonly relay: Relay }) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  const warnings = relay.warnings.filter(({ code }) => OF_PASSING.has(code))
  if (warnings.length === 0) return null
  const tighten = async () => {
    const changed = await updateRelay(transport, { relayId: relay.id, body: tightened(relay) })
    client.setQueryData(relayKey(key, relay.id), changed)
  }
  return (
    <Alert color="yellow" variant="light" title="This relay passes what it does not describe" mb="lg">
      <Stack gap="sm" align="flex-start">
        <List>
          {warnings.map(({ code, detail }) => (
            <List.Item key={code}>{detail}</List.Item>
          ))}
        </List>
        {may("relay:update") && (
          <Button variant="light" onClick={() => setOpen(true)}>
            Tighten
          </Button>
        )}
      </Stack>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Refuse what no route and no selection describes?"
        action="Tighten"
        onConfirm={tighten}
      >
        <RefusedRequests relay={relay} />
        {!relay.rewriteLocations && (
          <Text mt="sm">Redirects to the destination itself will lead to the relay.</Text>
        )}
        <Text mt="sm">Within 10 seconds, this applies to all requests through the relay.</Text>
      </ConfirmDialog>
    </Alert>
  )
}

function RefusedRequests({ relay }: { readonly relay: Relay }) {
  const { app, key, transport } = useApp()
  const latest = useQuery({
    queryKey: [...relayKey(key, relay.id), "refused-when-tight"],
    queryFn: async ({ signal }) => {
      const requests = await latestRequests(transport, relay.id, signal)
      return { refused: refusedWhenTight(requests), searched: requests.length }
    },
    gcTime: 0,
  })
  if (latest.error) return <Problem error={latest.error} onRetry={() => latest.refetch()} />
  if (latest.data === undefined) return <Loader aria-label="Searching the latest requests" />
  const { refused, searched } = latest.data
  return (
    <>
      <Text role="status">
        Of the latest {searched} requests, {refused.length} would have been refused.
      </Text>
      {refused.length > 0 && (
        <Table aria-label="Requests that would have been refused">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Request</Table.Th>
              <Table.Th scope="col">Why</Table.Th>
              <Table.Th scope="col">When</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {refused.slice(0, MAX_SHOWN).map(({ id, method, routes, reasons, createdAt }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <Link
                    to="/apps/$appId/relays/$relayId/activity/$activityId"
                    params={{ appId: app.id, relayId: relay.id, activityId: id }}
                  >
                    {method} {routes.join(", ") || "(no route)"}
                  </Link>
                </Table.Td>
                <Table.Td>{reasons.join("; ")}</Table.Td>
                <Table.Td>
                  <Time at={createdAt} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  )
}
