import { Badge, Button, Group, List, Loader, Stack, Text, Title } from "@mantine/core"
import { type DataRole, deleteDataRole, updateDataRole } from "@sealway/sdk/api"
import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { usePolicyBook } from "../../api/policy-book.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { EmptyState } from "../../components/empty-state.tsx"
import { LinkButton } from "../../components/link-button.tsx"
import { Page } from "../../components/page.tsx"
import { Problem } from "../../components/problem.tsx"
import { useMayManage } from "../../session/use-may-manage.ts"
import { savedInputOf } from "./draft.ts"
import { History } from "./history.tsx"
import { PolicyTests } from "./policy-tests.tsx"
import { PolicyWords } from "./policy-words.tsx"
import { RoleAccess } from "./role-access.tsx"
import { RoleSample } from "./role-sample.tsx"
import { TryOut } from "./try-out.tsx"

const route = getRouteApi("/apps/$appId/policies/roles/$slug")

/** A data role: its policies in words, what they decide, and what was changed. */
export function Role() {
  const { slug } = route.useParams()
  const { app } = useApp()
  const mayChange = useMayManage(app.environment)
  const book = usePolicyBook()
  if (book.error) return <Problem error={book.error} onRetry={() => book.refetch()} />
  if (book.isPending) return <Loader aria-label="Loading" />
  const role = book.data.roles.find((each) => each.slug === slug)
  if (role === undefined) return <Page title="There is no such role" about="It may have been deleted." />
  const own = book.data.policies.filter((policy) => policy.roles.includes(slug))
  return (
    <Page
      title={`Role ${slug}`}
      about={role.description === "" ? role.name : `${role.name}. ${role.description}`}
      actions={
        mayChange && (
          <>
            <RoleActions role={role} />
            <LinkButton to="/apps/$appId/policies/new" params={{ appId: app.id }} search={{ role: slug }}>
              Create a policy
            </LinkButton>
          </>
        )
      }
    >
      {role.archived && (
        <Group>
          <Badge color="gray" variant="light" tt="none">
            archived: it encrypts no new values
          </Badge>
        </Group>
      )}
      <Stack component="section" gap="sm" aria-labelledby="policies">
        <Title order={2} size="h4" id="policies">
          Policies
        </Title>
        {own.length === 0 ? (
          <EmptyState title="Nobody may decrypt its values">
            A role without a policy that permits refuses every decryption. Create one.
          </EmptyState>
        ) : (
          <List spacing="xs">
            {own.map((policy) => (
              <List.Item key={policy.id}>
                <Link to="/apps/$appId/policies/$policyId" params={{ appId: app.id, policyId: policy.id }}>
                  {policy.name}
                </Link>
                <Text>
                  <PolicyWords policy={policy} />
                </Text>
              </List.Item>
            ))}
          </List>
        )}
      </Stack>
      <RoleAccess role={slug} policies={own.map(savedInputOf)} />
      {role.mask && <RoleSample mask={role.mask} />}
      <TryOut role={slug} policies={own.map(savedInputOf)} />
      <PolicyTests policies={book.data.policies.map(savedInputOf)} />
      <History targetId={role.id} action="data-role.*" />
    </Page>
  )
}

function RoleActions({ role }: { readonly role: DataRole }) {
  const { app, transport, key } = useApp()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const change = async () => {
    if (role.archived) await updateDataRole(transport, { roleId: role.id, body: { archived: false } })
    else {
      const { outcome } = await deleteDataRole(transport, { roleId: role.id })
      if (outcome === "deleted") await navigate({ to: "/apps/$appId/policies", params: { appId: app.id } })
    }
    await client.invalidateQueries({ queryKey: [...key, "policy-book"] })
  }
  const action = role.archived ? "Restore" : role.usedAt === null ? "Delete" : "Archive"
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {action} the role
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`${action} the role ${role.slug}?`}
        action={action}
        onConfirm={change}
        {...(!role.archived && { nameToType: role.slug })}
      >
        <Text>
          {role.archived
            ? "It can encrypt new values again."
            : role.usedAt === null
              ? "It was never used. It is deleted if no policy is attached to it."
              : "It was used. It can no longer encrypt values; existing values still follow its policies, and you can restore it."}
        </Text>
      </ConfirmDialog>
    </>
  )
}
