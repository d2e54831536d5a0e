import { Alert, Button, Loader, Stack, Text } from "@mantine/core"
import { type Function as DeployedFunction, deleteFunction, getFunction } from "@sealway/sdk/api"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.tsx"
import { BackLink } from "../../components/back-link.tsx"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { Page } from "../../components/page.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { DeployDialog } from "./deploy-dialog.tsx"
import { FunctionState } from "./functions.tsx"
import { Logs } from "./logs.tsx"
import { RunFunction } from "./run-function.tsx"
import { Runs } from "./runs.tsx"

const route = getRouteApi("/apps/$appId/functions/$functionName")

const REFRESH_MS = 2_000

/** A function: its deployments, a run with a payload, its asynchronous runs and its logs. */
export function FunctionPage() {
  const { appId, functionName } = route.useParams()
  const { key, transport } = useApp()
  const client = useQueryClient()
  const navigate = route.useNavigate()
  const may = useMay()
  const [open, setOpen] = useState<"deploy" | "delete" | null>(null)
  const close = () => setOpen(null)
  const queryKey = [...key, "functions", functionName]
  const found = useQuery({
    queryKey,
    queryFn: ({ signal }) => getFunction(transport, { functionName }, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === "deploying" ? REFRESH_MS : false),
  })
  const remove = async () => {
    await deleteFunction(transport, { functionName })
    await navigate({ to: "/apps/$appId/functions", params: { appId } })
    client.removeQueries({ queryKey })
    await client.invalidateQueries({ queryKey: [...key, "functions"], exact: true })
  }
  const back = (
    <BackLink to="/apps/$appId/functions" params={{ appId }}>
      All functions
    </BackLink>
  )
  return (
    <Page
      title={functionName}
      about={back}
      actions={
        found.data !== undefined && (
          <>
            {may("function:create") && (
              <Button variant="default" onClick={() => setOpen("deploy")}>
                Deploy again
              </Button>
            )}
            {may("function:delete") && (
              <Button color="red" onClick={() => setOpen("delete")}>
                Delete
              </Button>
            )}
          </>
        )
      }
    >
      {found.isPending && <Loader aria-label="Loading the function" />}
      {found.error && <Problem error={found.error} onRetry={() => found.refetch()} />}
      {found.data && (
        <Stack gap="xl">
          <FunctionFacts of={found.data} />
          <DeployDialog isOpen={open === "deploy"} onClose={close} deployed={found.data} />
          {found.data.activeDeployment !== null && <RunFunction functionName={functionName} />}
          <Runs functionName={functionName} />
          <Logs functionName={functionName} />
        </Stack>
      )}
      <ConfirmDialog
        isOpen={open === "delete"}
        onClose={close}
        title={`Delete ${functionName}?`}
        action="Delete"
        nameToType={functionName}
        onConfirm={remove}
      >
        <Text>Its code is deleted, and every later run is refused. This cannot be undone.</Text>
      </ConfirmDialog>
    </Page>
  )
}

function FunctionFacts({ of: deployed }: { readonly of: DeployedFunction }) {
  const { deployment, activeDeployment, lastError, language, handler, timeoutSeconds, memoryMb } = deployed
  return (
    <Stack gap="sm">
      {lastError !== null && (
        <Alert color="red" variant="light" title={`Deployment ${deployment} has failed`}>
          {lastError} {activeDeployment !== null && `Deployment ${activeDeployment} still serves.`}
        </Alert>
      )}
      <Facts label="Function">
        <Fact name="Deployment">
          {deployment} <FunctionState of={deployed} />
          {activeDeployment !== deployment &&
            (activeDeployment === null ? " None is active." : ` Deployment ${activeDeployment} serves.`)}
        </Fact>
        <Fact name="Updated">
          <Time at={deployed.updatedAt} />
        </Fact>
        <Fact name="Code">
          {handler}, {language}
        </Fact>
        <Fact name="Limits">
          {timeoutSeconds} seconds, {memoryMb} MB
        </Fact>
        <Fact name="Callback">{deployed.callbackUrl ?? "None"}</Fact>
      </Facts>
    </Stack>
  )
}
