import { Button, Code, Stack, Text } from "@mantine/core"
import { type Enclave, listEnclaves } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { Page } from "../../components/page.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { PCRS, type Pcrs, shortPcr } from "./measurements.ts"
import { RegisterEnclaveDialog } from "./register-enclave-dialog.tsx"

/** The images whose enclaves need no API key. */
export function Enclaves() {
  const { app, key, transport } = useApp()
  const may = useMay()
  const [isRegistering, setRegistering] = useState(false)
  const register = may("enclave:create") && (
    <Button onClick={() => setRegistering(true)}>Register an image</Button>
  )
  return (
    <Page
      title="Enclaves"
      about="Images of AWS Nitro Enclaves that need no API key: their attestation shows that they run. Policies say what they may decrypt."
      actions={register}
    >
      <RegisterEnclaveDialog isOpen={isRegistering} onClose={() => setRegistering(false)} />
      <PagedList<Enclave>
        label="Enclaves"
        queryKey={[...key, "enclaves"]}
        fetchPage={(after, signal) => listEnclaves(transport, { limit: PAGE_SIZE }, { signal }).page(after)}
        keyOf={({ id }) => id}
        columns={[
          {
            header: "Name",
            cell: ({ id, name }) => (
              <Link
                className={rowLinkClass}
                to="/apps/$appId/enclaves/$enclaveId"
                params={{ appId: app.id, enclaveId: id }}
              >
                {name}
              </Link>
            ),
          },
          { header: "Measurements", cell: ({ pcrs }) => <ShortPcrs pcrs={pcrs} /> },
          { header: "Registered", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState title="No image is registered">
            <Text c="dimmed">
              Build an image with <Code>nitro-cli build-enclave</Code>, and register the PCRs that it prints.{" "}
              <Code>sealway enclaves measure</Code> reads them from an image file. Without a registration, an
              enclave needs an API key.
            </Text>
            {register}
          </EmptyState>
        }
      />
    </Page>
  )
}

function ShortPcrs({ pcrs }: { readonly pcrs: Pcrs }) {
  return (
    <Stack gap={2}>
      {PCRS.map(({ name }) => {
        const pcr = pcrs[name]
        return (
          pcr !== undefined && (
            <Text size="sm" key={name}>
              {name.toUpperCase()} <Code>{shortPcr(pcr)}</Code>
            </Text>
          )
        )
      })}
    </Stack>
  )
}
