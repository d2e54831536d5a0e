import { Alert, Button, Code, Group, Progress, Stack, Text } from "@mantine/core"
import { listAuditLogs } from "@sealway/sdk/api"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { teamTransport } from "../../api/transport.ts"
import { Problem } from "../../components/problem.tsx"
import { auditId, BrokenChainError, type Chain, checkNext, EMPTY_CHAIN } from "./chain.ts"

const PAGE = 100

/** Checks the whole audit log in this browser, from its first record to the newest. */
export function ChainCheck() {
  const [progress, setProgress] = useState({ checked: 0, total: 0 })
  const checking = useMutation({
    mutationFn: () => checkAll((checked, total) => setProgress({ checked, total })),
  })
  const { error } = checking
  return (
    <Stack gap="sm" component="section" aria-label="The chain of the audit log">
      <Group gap="md">
        <Button variant="default" onClick={() => checking.mutate()} loading={checking.isPending}>
          Verify the chain
        </Button>
        <Text size="sm" c="dimmed">
          Each record names the hash of the one before it. This browser computes all of them.
        </Text>
      </Group>
      {checking.isPending && progress.total > 0 && (
        <Progress
          value={(100 * progress.checked) / progress.total}
          aria-label={`${progress.checked} of ${progress.total} records`}
        />
      )}
      {checking.data && (
        <Alert color="green" title={`All ${checking.data.seq} records are as they were written`}>
          <Text size="sm">
            Note the last hash. A later check must find it again at record {checking.data.seq}: that shows
            that no record was removed from the end, and that nobody wrote the log again.
          </Text>
          <Code block mt="xs">
            {checking.data.hash}
          </Code>
        </Alert>
      )}
      {error instanceof BrokenChainError && (
        <Alert color="red" role="alert" title={error.message}>
          It was changed, removed or added after it was written. Compare it with a backup.
        </Alert>
      )}
      {error && !(error instanceof BrokenChainError) && <Problem error={error} />}
    </Stack>
  )
}

async function checkAll(onProgress: (checked: number, total: number) => void): Promise<Chain> {
  const [newest] = await listAuditLogs(teamTransport, { limit: 1 }).first()
  const total = newest?.seq ?? 0
  let chain = EMPTY_CHAIN
  // The log is listed newest first: each page is asked for by the number of the record above it.
  while (chain.seq < total) {
    const end = Math.min(chain.seq + PAGE, total)
    const query = { limit: end - chain.seq, startingAfter: auditId(end + 1) }
    const records = await listAuditLogs(teamTransport, query).first()
    for (const record of records.toReversed()) chain = await checkNext(chain, record)
    if (chain.seq < end) throw new BrokenChainError(chain.seq + 1)
    onProgress(chain.seq, total)
  }
  if (newest !== undefined && newest.hash !== chain.hash) throw new BrokenChainError(total)
  return chain
}
