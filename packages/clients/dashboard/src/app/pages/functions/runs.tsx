import { Badge, Button, Stack, Text, Title } from "@mantine/core"
import { deleteFunctionRun, type FunctionRunSummary, listFunctionRuns } from "@sealway/sdk/api"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { EmptyState } from "../../components/empty-state.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"

const REFRESH_MS = 5_000

/** The asynchronous runs of the last 7 days. Others leave no record. */
export function Runs({ functionName }: { readonly functionName: string }) {
  const { key, transport } = useApp()
  const may = useMay()
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
          ...(may("functionRun:delete")
            ? [
                {
                  header: "Change",
                  cell: ({ id, status }: FunctionRunSummary) =>
                    status !== "scheduled" && <DeleteRun functionName={functionName} runId={id} />,
                },
              ]
            : []),
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

interface DeleteRunProps {
  readonly functionName: string
  readonly runId: string
}

function DeleteRun({ functionName, runId }: DeleteRunProps) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const remove = async () => {
    await deleteFunctionRun(transport, { functionName, runId })
    await client.invalidateQueries({ queryKey: [...key, "functions", functionName, "runs"] })
  }
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setOpen(true)}
        aria-label={`Delete the run ${runId}`}
      >
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Delete the run?"
        action="Delete it"
        onConfirm={remove}
      >
        <Text>Its result is deleted too. This cannot be undone.</Text>
      </ConfirmDialog>
    </>
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
