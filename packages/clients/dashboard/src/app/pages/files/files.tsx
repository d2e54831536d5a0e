import { Code, Text } from "@mantine/core"
import { formatBytes } from "@sealway/kernel/format-bytes"
import { type File, listFiles } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { Page } from "../../components/page.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"

/** The sealed files of an app that Sealway stores. */
export function Files() {
  const { app, key, transport } = useApp()
  return (
    <Page title="Files" about="Files of any size, sealed before they leave your program.">
      <PagedList<File>
        label="Files"
        queryKey={[...key, "files"]}
        fetchPage={(after, signal) => listFiles(transport, { limit: PAGE_SIZE }, { signal }).page(after)}
        keyOf={({ id }) => id}
        columns={[
          {
            header: "Name",
            cell: ({ id, name }) => (
              <Link
                className={rowLinkClass}
                to="/apps/$appId/files/$fileId"
                params={{ appId: app.id, fileId: id }}
              >
                {name ?? id}
              </Link>
            ),
          },
          { header: "Data role", cell: ({ role }) => role ?? "None" },
          { header: "Size", cell: ({ size }) => formatBytes(size) },
          { header: "Status", cell: ({ status }) => <Status status={status} /> },
          { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState title="This app has no file">
            <Text c="dimmed">
              Upload one with <Code>sealway files upload</Code>, or with <Code>sealway.files.upload</Code> of
              the SDK.
            </Text>
          </EmptyState>
        }
      />
    </Page>
  )
}
