import { Badge, Button, Loader, Stack, Text } from "@mantine/core"
import type { DataPolicy, DataRole } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { usePolicyBook } from "../../api/policy-book.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { LinkButton } from "../../components/link-button.tsx"
import { Page } from "../../components/page.tsx"
import { PagedList } from "../../components/paged-list.tsx"
import { Problem } from "../../components/problem.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { useMayManage } from "../../session/use-may-manage.ts"
import { CreateRoleDialog } from "./create-role-dialog.tsx"
import { PolicyWords } from "./policy-words.tsx"

/** The data roles of an app, and who may decrypt what, in words. */
export function Roles() {
  const { app, key } = useApp()
  const mayChange = useMayManage(app.environment)
  const book = usePolicyBook()
  const [isCreating, setCreating] = useState(false)
  const create = (
    <Button variant="default" onClick={() => setCreating(true)}>
      Create a role
    </Button>
  )
  return (
    <Page
      title="Data roles and policies"
      about="A role is sealed into each value. Its policies say who may decrypt the value, where and when."
      actions={
        mayChange && (
          <>
            {create}
            <LinkButton to="/apps/$appId/policies/new" params={{ appId: app.id }}>
              Create a policy
            </LinkButton>
          </>
        )
      }
    >
      <CreateRoleDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      {book.error && <Problem error={book.error} onRetry={() => book.refetch()} />}
      {book.isPending && <Loader aria-label="Loading: data roles" />}
      {book.data && (
        <PagedList<DataRole>
          label="Data roles"
          queryKey={[...key, "listed-roles", book.dataUpdatedAt]}
          fetchPage={async () => ({ data: book.data.roles, next: null })}
          keyOf={({ id }) => id}
          columns={[
            {
              header: "Role",
              cell: ({ slug, name, archived }) => (
                <Stack gap={2}>
                  <Link
                    className={rowLinkClass}
                    to="/apps/$appId/policies/roles/$slug"
                    params={{ appId: app.id, slug }}
                  >
                    {slug}
                  </Link>
                  <Text size="sm" c="dimmed">
                    {name}
                  </Text>
                  {archived && (
                    <Badge variant="light" color="gray" tt="none">
                      archived
                    </Badge>
                  )}
                </Stack>
              ),
            },
            {
              header: "Who may decrypt",
              cell: ({ slug }) => <WhoMay policies={book.data.policies} slug={slug} />,
            },
          ]}
          empty={
            <EmptyState title="No data role yet">
              <Text c="dimmed">
                A role is a category of data, such as pci or medical. Values that are encrypted with it follow
                its policies; values without a role need only a key with the scope api:decrypt.
              </Text>
              {mayChange && create}
            </EmptyState>
          }
        />
      )}
    </Page>
  )
}

function WhoMay({ policies, slug }: { readonly policies: readonly DataPolicy[]; readonly slug: string }) {
  const own = policies.filter(({ roles }) => roles.includes(slug))
  if (own.length === 0) return <Text size="sm">Nobody: it has no policy.</Text>
  return (
    <Stack gap={2}>
      {own.map((policy) => (
        <PolicyWords key={policy.id} policy={policy} />
      ))}
    </Stack>
  )
}
