import { Button, Group, Loader, Stack, Text } from "@mantine/core"
import type { ListedPage } from "@sealway/sdk/browser"
import { hashKey, type InfiniteData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query"
import { Fragment, type ReactNode, useMemo } from "react"
import { Problem } from "./problem.tsx"
import { type Column, RecordRow, RecordTable } from "./record-table.tsx"

/** How many items a page has. */
export const PAGE_SIZE = 50

interface PagedListProps<Item> {
  /** What it lists, for screen readers: "Data roles". */
  readonly label: string
  /** Identifies the list with all its filters. */
  readonly queryKey: QueryKey
  /** Fetches a page. @param after selects the next one; null for the first */
  readonly fetchPage: (after: string | null, signal: AbortSignal) => Promise<ListedPage<Item>>
  readonly keyOf: (item: Item) => string
  /** What their cells show follows from the item and the query key alone. */
  readonly columns: readonly Column<Item>[]
  /** What to show when there is nothing. With filters, say that none matches them. */
  readonly empty: ReactNode
  /** How often to look for newer items, while no older page is shown. Default: only when the page is opened or focused. */
  readonly refreshMs?: number
}

/** A list of the service, newest first, page by page. */
export function PagedList<Item>(props: PagedListProps<Item>) {
  const { label, queryKey, fetchPage, keyOf, columns, empty, refreshMs } = props
  const list = useInfiniteQuery<
    ListedPage<Item>,
    Error,
    InfiniteData<ListedPage<Item>>,
    QueryKey,
    string | null
  >({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: null,
    getNextPageParam: ({ next }) => next,
    // It would fetch every page that is shown: whoever reads older ones is not disturbed.
    ...(refreshMs !== undefined && {
      refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : refreshMs),
    }),
  })
  // Pages make their columns anew each time, such as when a dialog opens: rendering 10,000 rows again would take seconds.
  const shownBy = hashKey([queryKey, columns.map(({ header }) => header)])
  const rowsOf = useMemo(() => rememberRows(columns, keyOf), [shownBy])
  if (list.isPending) return <Loader aria-label={`Loading: ${label}`} />
  if (list.error && list.data === undefined) {
    return <Problem error={list.error} onRetry={() => list.refetch()} />
  }
  const items = list.data?.pages.flatMap(({ data }) => data) ?? []
  if (items.length === 0 && !list.hasNextPage) return empty
  return (
    <Stack gap="md">
      {list.error && <Problem error={list.error} onRetry={() => list.refetch()} />}
      <RecordTable label={label} columns={columns}>
        {list.data?.pages.map((page, index) => (
          <Fragment key={index}>{rowsOf(page)}</Fragment>
        ))}
      </RecordTable>
      <Group gap="md">
        <Text size="sm" c="dimmed" role="status">
          {items.length} shown{list.hasNextPage ? "" : ", all of them"}
        </Text>
        {list.hasNextPage && (
          <Button
            variant="default"
            size="xs"
            loading={list.isFetchingNextPage}
            onClick={() => list.fetchNextPage()}
          >
            Show older
          </Button>
        )}
      </Group>
    </Stack>
  )
}

/** Returns what makes the rows of a page, once: React leaves them as they are when another page is added. */
function rememberRows<Item>(
  columns: readonly Column<Item>[],
  keyOf: (item: Item) => string,
): (page: ListedPage<Item>) => ReactNode {
  const known = new WeakMap<ListedPage<Item>, ReactNode>()
  return (page) => {
    const rows =
      known.get(page) ??
      page.data.map((item) => <RecordRow key={keyOf(item)} item={item} columns={columns} />)
    known.set(page, rows)
    return rows
  }
}
