import { Button, Code, Text } from "@mantine/core"
import { type HoneyToken, listHoneyTokens } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { Page } from "../../components/page.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { CreateHoneyTokenDialog } from "./create-honey-token-dialog.tsx"
import { Touched } from "./touched.tsx"

const REFRESH_MS = 30_000

/** The honey tokens of an app, and which of them somebody tried to decrypt. */
export function HoneyTokens() {
  const { app, key, transport } = useApp()
  const may = useMay()
  const [isCreating, setCreating] = useState(false)
  // Creating one needs an API key, whoever is signed in. It is offered to those who may delete it again.
  const create = may("honeyToken:delete") && (
    <Button onClick={() => setCreating(true)}>Create a honey token</Button>
  )
  return (
    <Page
      title="Honey tokens"
      about="Encrypted values that nobody has a reason to decrypt. Whoever tries is refused, and you learn who, where and when."
      actions={create}
    >
      <CreateHoneyTokenDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <PagedList<HoneyToken>
        label="Honey tokens"
        queryKey={[...key, "honey-tokens"]}
        fetchPage={(after, signal) =>
          listHoneyTokens(transport, { limit: PAGE_SIZE }, { signal }).page(after)
        }
        keyOf={({ id }) => id}
        refreshMs={REFRESH_MS}
        columns={[
          {
            header: "Name",
            cell: ({ id, name }) => (
              <Link
                className={rowLinkClass}
                to="/apps/$appId/honey-tokens/$honeyTokenId"
                params={{ appId: app.id, honeyTokenId: id }}
              >
                {name}
              </Link>
            ),
          },
          { header: "Data role", cell: ({ role }) => role ?? "None" },
          { header: "Last touched", cell: ({ lastTouchedAt }) => <Touched at={lastTouchedAt} /> },
          { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState title="This app has no honey token">
            <Text c="dimmed">
              Create one, and put it where your encrypted data is: a table, a backup, a log. To add some to a
              whole table, use <Code>sealway honey sow</Code>.
            </Text>
            {create}
          </EmptyState>
        }
      />
    </Page>
  )
}
