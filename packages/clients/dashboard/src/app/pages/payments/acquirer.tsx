import { Button, Stack, Text, Title } from "@mantine/core"
import { type Acquirer, deleteAcquirer, getAcquirer } from "@sealway/sdk/api"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { BackLink } from "../../components/back-link.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { RecordPage } from "../../components/record-page.tsx"
import { type Column, RecordRow, RecordTable } from "../../components/record-table.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { EditAcquirerDialog } from "./acquirer-dialogs.tsx"
import { NETWORK_NAMES } from "./acquirer-draft.ts"

const route = getRouteApi("/apps/$appId/payments/acquirers/$acquirerId")

const REFRESH_MS = 3_000

/** An acquirer, and its state at each network. */
export function AcquirerPage() {
  const { appId, acquirerId } = route.useParams()
  const { key, transport } = useApp()
  const navigate = route.useNavigate()
  const may = useMay()
  const [isEditing, setEditing] = useState(false)
  const list = { to: "/apps/$appId/payments", params: { appId }, search: { tab: "acquirers" } } as const
  const listKey = [...key, "acquirers"]
  return (
    <RecordPage<Acquirer>
      kind="acquirer"
      queryKey={[...listKey, acquirerId]}
      find={(signal) => getAcquirer(transport, { acquirerId }, { signal })}
      refreshMs={(acquirer) => isPending(acquirer) && REFRESH_MS}
      titleOf={({ name }) => name}
      back={<BackLink {...list}>All acquirers</BackLink>}
      actions={() =>
        may("acquirer:update") && (
          <Button variant="default" onClick={() => setEditing(true)}>
            Edit
          </Button>
        )
      }
      deletion={{
        isAllowed: may("acquirer:delete"),
        nameToType: ({ name }) => name,
        consequences: (acquirer) => (
          <>
            It is withdrawn from all networks, and new 3-D Secure sessions cannot use it.
            {acquirer.default && " It is the default: choose another one for sessions without an acquirer."}{" "}
            This cannot be undone.
          </>
        ),
        remove: () => deleteAcquirer(transport, { acquirerId }),
        leave: () => navigate(list),
        listKey,
      }}
    >
      {(acquirer) => (
        <>
          <AcquirerFacts acquirer={acquirer} />
          <Configurations acquirer={acquirer} />
          <EditAcquirerDialog isOpen={isEditing} onClose={() => setEditing(false)} acquirer={acquirer} />
        </>
      )}
    </RecordPage>
  )
}

const isPending = ({ configurations }: Acquirer) => configurations.some(({ state }) => state === "pending")

function AcquirerFacts({ acquirer }: { readonly acquirer: Acquirer }) {
  const { id, description = "", default: isDefault, createdAt, updatedAt } = acquirer
  return (
    <Facts label="Acquirer">
      {description !== "" && <Fact name="Description">{description}</Fact>}
      <Fact name="Default">{isDefault ? "Yes: 3-D Secure sessions without an acquirer use it" : "No"}</Fact>
      <Fact name="Id">{id}</Fact>
      <Fact name="Created">
        <Time at={createdAt} />
      </Fact>
      {updatedAt !== undefined && (
        <Fact name="Updated">
          <Time at={updatedAt} />
        </Fact>
      )}
    </Facts>
  )
}

const ENROLMENT_COLUMNS: readonly Column<Acquirer["configurations"][number]>[] = [
  { header: "Network", cell: ({ network }) => NETWORK_NAMES[network] },
  { header: "Status", cell: ({ state }) => <Status status={state} /> },
  { header: "BIN", cell: ({ bin }) => bin },
  { header: "Merchant identifier", cell: ({ acquirerMerchantIdentifier }) => acquirerMerchantIdentifier },
  { header: "Country", cell: ({ country }) => country.toUpperCase() },
]

function Configurations({ acquirer: { configurations } }: { readonly acquirer: Acquirer }) {
  return (
    <Stack component="section" gap="sm" aria-labelledby="enrolments">
      <Title order={2} size="h4" id="enrolments">
        Enrolments
      </Title>
      <RecordTable label="Enrolments" columns={ENROLMENT_COLUMNS}>
        {configurations.map((configuration) => (
          <RecordRow key={configuration.network} item={configuration} columns={ENROLMENT_COLUMNS} />
        ))}
      </RecordTable>
      {configurations.some(({ state }) => state === "failed") && (
        <Text size="sm" c="dimmed">
          A network has refused an enrolment. Check its numbers with your bank, then edit and save: this asks
          the network again.
        </Text>
      )}
    </Stack>
  )
}
