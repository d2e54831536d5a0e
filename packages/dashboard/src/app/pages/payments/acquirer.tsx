import { Button, Loader, Stack, Text, Title } from "@mantine/core"
import { type Acquirer, deleteAcquirer, getAcquirer } from "@sealway/sdk/api"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.tsx"
import { BackLink } from "../../components/back-link.tsx"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { Page } from "../../components/page.tsx"
import { Problem } from "../../components/problem.tsx"
import { type Column, RecordRow, RecordTable } from "../../components/record-table.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { EditAcquirerDialog } from "./acquirer-dialogs.tsx"
import { NETWORK_NAMES } from "./acquirer-draft.ts"
import { Status } from "./status.tsx"

const route = getRouteApi("/apps/$appId/payments/acquirers/$acquirerId")

const REFRESH_MS = 3_000

/** An acquirer, and its state at each network. */
export function AcquirerPage() {
  const { appId, acquirerId } = route.useParams()
  const { key, transport } = useApp()
  const client = useQueryClient()
  const navigate = route.useNavigate()
  const may = useMay()
  const [open, setOpen] = useState<"edit" | "delete" | null>(null)
  const close = () => setOpen(null)
  const queryKey = [...key, "acquirers", acquirerId]
  const acquirer = useQuery({
    queryKey,
    queryFn: ({ signal }) => getAcquirer(transport, { acquirerId }, { signal }),
    refetchInterval: ({ state }) => (state.data && isPending(state.data) ? REFRESH_MS : false),
  })
  const remove = async () => {
    await deleteAcquirer(transport, { acquirerId })
    await navigate({ to: "/apps/$appId/payments", params: { appId }, search: { tab: "acquirers" } })
    client.removeQueries({ queryKey })
    await client.invalidateQueries({ queryKey: [...key, "acquirers"], exact: true })
  }
  return (
    <Page
      title={acquirer.data?.name ?? "Acquirer"}
      about={
        <BackLink to="/apps/$appId/payments" params={{ appId }} search={{ tab: "acquirers" }}>
          All acquirers
        </BackLink>
      }
      actions={
        acquirer.data !== undefined && (
          <>
            {may("acquirer:update") && (
              <Button variant="default" onClick={() => setOpen("edit")}>
                Edit
              </Button>
            )}
            {may("acquirer:delete") && (
              <Button color="red" onClick={() => setOpen("delete")}>
                Delete
              </Button>
            )}
          </>
        )
      }
    >
      {acquirer.isPending && <Loader aria-label="Loading the acquirer" />}
      {acquirer.error && <Problem error={acquirer.error} onRetry={() => acquirer.refetch()} />}
      {acquirer.data && (
        <>
          <AcquirerFacts acquirer={acquirer.data} />
          <Configurations acquirer={acquirer.data} />
          <EditAcquirerDialog isOpen={open === "edit"} onClose={close} acquirer={acquirer.data} />
          <ConfirmDialog
            isOpen={open === "delete"}
            onClose={close}
            title={`Delete ${acquirer.data.name}?`}
            action="Delete"
            nameToType={acquirer.data.name}
            onConfirm={remove}
          >
            <Text>
              It is withdrawn from all networks, and new 3-D Secure sessions cannot use it.
              {acquirer.data.default &&
                " It is the default: choose another one for sessions without an acquirer."}{" "}
              This cannot be undone.
            </Text>
          </ConfirmDialog>
        </>
      )}
    </Page>
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
      {updatedAt !== null && (
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
