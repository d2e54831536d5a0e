import { Button, Loader, Text } from "@mantine/core"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { ConfirmDialog } from "./confirm-dialog.tsx"
import { Page } from "./page.tsx"
import { Problem } from "./problem.tsx"

interface RecordPageProps<Found> {
  /** What it is, in words: "network token". */
  readonly kind: string
  readonly queryKey: readonly unknown[]
  readonly find: (signal: AbortSignal) => Promise<Found>
  /** How often it is read again, in milliseconds; false for not at all. Default: not at all. */
  readonly refreshMs?: (found: Found) => number | false
  /** The title until it is found. Default: its kind. */
  readonly title?: string
  readonly titleOf: (found: Found) => string
  /** The link to the list. */
  readonly back: ReactNode
  /** Buttons, beside the one that deletes it. */
  readonly actions?: (found: Found) => ReactNode
  /** Default: it cannot be deleted. */
  readonly deletion?: Deletion<Found>
  readonly children: (found: Found) => ReactNode
}

/** How a record is deleted, after its name was typed. */
interface Deletion<Found> {
  readonly isAllowed: boolean
  /** Default: "Delete", with its title. */
  readonly question?: string
  readonly nameToType: (found: Found) => string
  /** What will happen, and what cannot be undone. */
  readonly consequences: (found: Found) => ReactNode
  readonly remove: () => Promise<unknown>
  /** Goes to the list. */
  readonly leave: () => Promise<void>
  /** The query key of the list. */
  readonly listKey: readonly unknown[]
}

/** The page of one record: its title, the way back, what can be done with it, and what is known about it. */
export function RecordPage<Found>(props: RecordPageProps<Found>) {
  const { kind, queryKey, find, refreshMs, titleOf, back, actions, deletion, children } = props
  const { title = kind.charAt(0).toUpperCase() + kind.slice(1) } = props
  const client = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => find(signal),
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : (refreshMs?.(data) ?? false)),
  })
  const { data: found } = query
  const remove = async ({ remove, leave, listKey }: Deletion<Found>) => {
    await remove()
    await leave()
    client.removeQueries({ queryKey })
    await client.invalidateQueries({ queryKey: listKey })
  }
  return (
    <Page
      title={found === undefined ? title : titleOf(found)}
      about={back}
      actions={
        found !== undefined && (
          <>
            {actions?.(found)}
            {deletion?.isAllowed && (
              <Button color="red" onClick={() => setDeleting(true)}>
                Delete
              </Button>
            )}
          </>
        )
      }
    >
      {query.isPending && <Loader aria-label={`Loading the ${kind}`} />}
      {query.error && <Problem error={query.error} onRetry={() => query.refetch()} />}
      {found !== undefined && (
        <>
          {children(found)}
          {deletion && (
            <ConfirmDialog
              isOpen={isDeleting}
              onClose={() => setDeleting(false)}
              title={deletion.question ?? `Delete ${titleOf(found)}?`}
              action="Delete"
              nameToType={deletion.nameToType(found)}
              onConfirm={() => remove(deletion)}
            >
              <Text>{deletion.consequences(found)}</Text>
            </ConfirmDialog>
          )}
        </>
      )}
    </Page>
  )
}
