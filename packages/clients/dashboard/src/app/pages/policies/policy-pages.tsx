import { Button, Loader, Text } from "@mantine/core"
import { deleteDataPolicy } from "@sealway/sdk/api"
import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { usePolicyBook } from "../../api/policy-book.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Page } from "../../components/page.tsx"
import { Problem } from "../../components/problem.tsx"
import { useMayManage } from "../../session/use-may-manage.ts"
import { draftOf, newDraft } from "./draft.ts"
import { History } from "./history.tsx"
import { PolicyEditor } from "./policy-editor.tsx"
import { PolicyWords } from "./policy-words.tsx"

const newRoute = getRouteApi("/apps/$appId/policies/new")
const savedRoute = getRouteApi("/apps/$appId/policies/$policyId")

export function NewPolicy() {
  const search = newRoute.useSearch()
  const book = usePolicyBook()
  if (book.error) return <Problem error={book.error} onRetry={() => book.refetch()} />
  if (book.isPending) return <Loader aria-label="Loading" />
  return (
    <Page title="Create a policy" about="Nothing changes before you save it.">
      <PolicyEditor saved={null} start={newDraft(search)} roles={book.data.roles} all={book.data.policies} />
    </Page>
  )
}

export function SavedPolicy() {
  const { policyId } = savedRoute.useParams()
  const { app, transport, key } = useApp()
  const mayChange = useMayManage(app.environment)
  const client = useQueryClient()
  const navigate = useNavigate()
  const book = usePolicyBook()
  const [isDeleting, setDeleting] = useState(false)
  if (book.error) return <Problem error={book.error} onRetry={() => book.refetch()} />
  if (book.isPending) return <Loader aria-label="Loading" />
  const policy = book.data.policies.find(({ id }) => id === policyId)
  if (policy === undefined) return <Page title="There is no such policy" about="It may have been deleted." />
  const remove = async () => {
    await deleteDataPolicy(transport, { policyId })
    await client.invalidateQueries({ queryKey: [...key, "policy-book"] })
    await navigate({ to: "/apps/$appId/policies", params: { appId: app.id } })
  }
  return (
    <Page
      title={policy.name}
      about={<PolicyWords policy={policy} />}
      actions={
        mayChange && (
          <Button variant="default" onClick={() => setDeleting(true)}>
            Delete the policy
          </Button>
        )
      }
    >
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${policy.name}?`}
        action="Delete"
        nameToType={policy.name}
        onConfirm={remove}
      >
        <Text>
          {policy.effect === "permit"
            ? "Within 10 seconds, decryptions that only this policy permits are refused."
            : "Within 10 seconds, decryptions that only this policy forbids are permitted, if another one permits them."}
        </Text>
      </ConfirmDialog>
      <PolicyEditor
        key={policy.updatedAt}
        saved={policy}
        start={draftOf(policy)}
        roles={book.data.roles}
        all={book.data.policies}
      />
      <History targetId={policy.id} action="data-policy.*" />
    </Page>
  )
}
