import { Alert, Button, Stack } from "@mantine/core"
import { type Function as DeployedFunction, deleteFunction, getFunction } from "@sealway/sdk/api"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { BackLink } from "../../components/back-link.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { RecordPage } from "../../components/record-page.tsx"
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
  const navigate = route.useNavigate()
  const may = useMay()
  const [isDeploying, setDeploying] = useState(false)
  const list = { to: "/apps/$appId/functions", params: { appId } } as const
  const listKey = [...key, "functions"]
  return (
    <RecordPage<DeployedFunction>
      kind="function"
      queryKey={[...listKey, functionName]}
      find={(signal) => getFunction(transport, { functionName }, { signal })}
      refreshMs={({ status }) => status === "deploying" && REFRESH_MS}
      title={functionName}
      titleOf={() => functionName}
      back={<BackLink {...list}>All functions</BackLink>}
      actions={() =>
        may("function:create") && (
          <Button variant="default" onClick={() => setDeploying(true)}>
            Deploy again
          </Button>
        )
      }
      deletion={{
        isAllowed: may("function:delete"),
        nameToType: () => functionName,
        consequences: () => "Its code is deleted, and every later run is refused. This cannot be undone.",
        remove: () => deleteFunction(transport, { functionName }),
        leave: () => navigate(list),
        listKey,
      }}
    >
      {(deployed) => (
        <Stack gap="xl">
          <FunctionFacts of={deployed} />
          <DeployDialog isOpen={isDeploying} onClose={() => setDeploying(false)} deployed={deployed} />
          {deployed.activeDeployment !== null && <RunFunction functionName={functionName} />}
          <Runs functionName={functionName} />
          <Logs functionName={functionName} />
        </Stack>
      )}
    </RecordPage>
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
