import { Badge, Button, Text } from "@mantine/core"
import { type App, listApps } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { APPS_KEY } from "../../api/app.ts"
import { teamTransport } from "../../api/transport.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { Page } from "../../components/page.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Time } from "../../components/time.tsx"
import { useMayManageTeam } from "../../session/use-may-manage.ts"
import { CreateAppDialog } from "./create-app-dialog.tsx"

/** The apps of the team. Each has its own keys, roles, policies and values. */
export function Apps() {
  const mayCreate = useMayManageTeam()
  const [isCreating, setCreating] = useState(false)
  const create = mayCreate && <Button onClick={() => setCreating(true)}>Create an app</Button>
  return (
    <Page
      title="Apps"
      about="Each app has its own keys, roles and values. Nothing that one app encrypts can be decrypted by another."
      actions={create}
    >
      <CreateAppDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <PagedList<App>
        label="Apps"
        queryKey={[...APPS_KEY, "pages"]}
        fetchPage={(after, signal) => listApps(teamTransport, { limit: PAGE_SIZE }, { signal }).page(after)}
        keyOf={({ id }) => id}
        columns={[
          {
            header: "Name",
            cell: ({ id, name }) => (
              <Link className={rowLinkClass} to="/apps/$appId" params={{ appId: id }}>
                {name}
              </Link>
            ),
          },
          { header: "Environment", cell: ({ environment }) => environment },
          { header: "State", cell: ({ status }) => <AppState status={status} /> },
          { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState title="Your team has no app yet">
            <Text c="dimmed">Values, keys, roles and policies belong to an app.</Text>
            {create}
          </EmptyState>
        }
      />
    </Page>
  )
}

function AppState({ status }: Pick<App, "status">) {
  return (
    <Badge variant="light" tt="none" color={status === "enabled" ? "green" : "gray"}>
      {status}
    </Badge>
  )
}
