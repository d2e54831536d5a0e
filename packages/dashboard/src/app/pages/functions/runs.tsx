import { Badge, Stack, Title } from "@mantine/core"
import { type FunctionRunSummary, listFunctionRuns } from "@sealway/sdk/api"
import { useApp } from "../../api/app.tsx"
import { EmptyState } from "../../components/empty-state.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { Time } from "../../components/time.tsx"

const REFRESH_MS = 5_000

/** The asynchronous runs of the last 7 days. Others leave no record. */
export function Runs({ functionName }: { readonly functionName: string }) {
  const { key, transport } = useApp()
  return (
    <Stack component="section" gap="md" aria-labelledby="runs">
      <Title order={2} size="h4" id="runs">
        Asynchronous runs
      </Title>
      <PagedList<FunctionRunSummary>
        label="Asynchronous runs"
        queryKey={[...key, "functions", functionName, "runs"]}
        fetchPage={(after, signal) =>
          listFunctionRuns(transport, { functionName, limit: PAGE_SIZE }, { signal }).page(after)
        }
        keyOf={({ id }) => id}
        refreshMs={REFRESH_MS}
        columns={[
          { header: "Run", cell: ({ id }) => id },
          { header: "Status", cell: ({ status }) => <RunStatus status={status} /> },
          { header: "Started", cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            header: "Until its end",
            cell: ({ createdAt, completedAt }) =>
              completedAt === null ? "Not ended yet" : durationOf(completedAt - createdAt),
          },
        ]}
        empty={
          <EmptyState title="No asynchronous run in the last 7 days">
            Runs that are waited for leave no record here; their output is in the logs.
          </EmptyState>
        }
      />
    </Stack>
  )
}

export function RunStatus({ status }: Pick<FunctionRunSummary, "status">) {
  const color = status === "success" ? "green" : status === "failure" ? "red" : "gray"
  return (
    <Badge variant="light" tt="none" color={color}>
      {status}
    </Badge>
  )
}

/** Returns a duration for people: `120 ms`, `2.5 s`. */
export function durationOf(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}
