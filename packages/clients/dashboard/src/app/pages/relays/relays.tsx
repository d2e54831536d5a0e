import { Badge, Button, Code, Text } from "@mantine/core"
import { listRelays, type Relay } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { Page } from "../../components/page.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { CreateRelayDialog } from "./create-relay-dialog.tsx"

/** The relays of an app. */
export function Relays() {
  const { app, key, transport } = useApp()
  const may = useMay()
  const [isCreating, setCreating] = useState(false)
  const create = may("relay:create") && <Button onClick={() => setCreating(true)}>Create a relay</Button>
  return (
    <Page
      title="Relays"
      about="A relay passes requests on to a destination, and encrypts or decrypts fields on the way."
      actions={create}
    >
      <CreateRelayDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <PagedList<Relay>
        label="Relays"
        queryKey={[...key, "relays"]}
        fetchPage={(after, signal) => listRelays(transport, { limit: PAGE_SIZE }, { signal }).page(after)}
        keyOf={({ id }) => id}
        columns={[
          {
            header: "Destination",
            cell: ({ id, destinationDomain }) => (
              <Link
                className={rowLinkClass}
                to="/apps/$appId/relays/$relayId"
                params={{ appId: app.id, relayId: id }}
              >
                {destinationDomain}
              </Link>
            ),
          },
          { header: "Requests go to", cell: ({ relayDomain }) => <Code>{relayDomain}</Code> },
          { header: "Routes", cell: ({ routes }) => routes.length },
          { header: "State", cell: (relay) => <RelayState relay={relay} /> },
          { header: "Updated", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
        empty={
          <EmptyState title="This app has no relay">
            <Text c="dimmed">
              Create one for an API that you call, or for your own. Programs then send requests to the relay's
              domain, and need no code for encryption.
            </Text>
            {create}
          </EmptyState>
        }
      />
    </Page>
  )
}

/** Whether requests reach a relay, and whether its settings are risky. */
export function RelayState({ relay: { domainStatus, warnings } }: { readonly relay: Relay }) {
  const color = domainStatus === "active" ? "green" : domainStatus === "failed" ? "red" : "gray"
  return (
    <>
      <Badge variant="light" tt="none" color={color}>
        {domainStatus}
      </Badge>{" "}
      {warnings.length > 0 && (
        <Badge variant="light" tt="none" color="yellow">
          {warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`}
        </Badge>
      )}
    </>
  )
}
