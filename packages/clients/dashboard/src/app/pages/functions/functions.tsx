import { Badge, Button, Code, Text } from "@mantine/core"
import { type Function as DeployedFunction, listFunctions } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { Page } from "../../components/page.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { DeployDialog } from "./deploy-dialog.tsx"

const REFRESH_MS = 5_000

/** The functions of an app. */
export function Functions() {
  const { app, key, transport } = useApp()
  const may = useMay()
  const [isDeploying, setDeploying] = useState(false)
  const deploy = may("function:create") && (
    <Button onClick={() => setDeploying(true)}>Deploy a function</Button>
  )
  return (
    <Page
      title="Functions"
      about="Code of yours that gets decrypted values, as far as policies permit it, and returns a result."
      actions={deploy}
    >
      <DeployDialog isOpen={isDeploying} onClose={() => setDeploying(false)} deployed={null} />
      <PagedList<DeployedFunction>
        label="Functions"
        queryKey={[...key, "functions"]}
        fetchPage={(after, signal) => listFunctions(transport, { limit: PAGE_SIZE }, { signal }).page(after)}
        keyOf={({ id }) => id}
        refreshMs={REFRESH_MS}
        columns={[
          {
            header: "Name",
            cell: ({ name }) => (
              <Link
                className={rowLinkClass}
                to="/apps/$appId/functions/$functionName"
                params={{ appId: app.id, functionName: name }}
              >
                {name}
              </Link>
            ),
          },
          { header: "Language", cell: ({ language }) => language },
          { header: "State", cell: (each) => <FunctionState of={each} /> },
          { header: "Deployment", cell: ({ activeDeployment }) => activeDeployment ?? "None active" },
          { header: "Updated", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
        empty={
          <EmptyState title="This app has no function">
            <Text c="dimmed">
              Create one with <Code>sealway functions init</Code> and deploy it with{" "}
              <Code>sealway functions deploy</Code>, or deploy a zip here.
            </Text>
            {deploy}
          </EmptyState>
        }
      />
    </Page>
  )
}

/** What the latest deployment has come to. */
export function FunctionState({ of: { status } }: { readonly of: DeployedFunction }) {
  const color = status === "ready" ? "green" : status === "failed" ? "red" : "gray"
  return (
    <Badge variant="light" tt="none" color={color}>
      {status}
    </Badge>
  )
}
