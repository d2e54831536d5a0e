import { Code, Text } from "@mantine/core"
import { type DataSubject, listDataSubjects } from "@sealway/sdk/api"
import { Link } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { Page } from "../../components/page.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { FindDataSubject } from "./find-data-subject.tsx"

/** Whom the app's values are about, as far as they can be erased together. */
export function DataSubjects() {
  const { app, key, transport } = useApp()
  return (
    <Page
      title="Data subjects"
      about="People whose values are encrypted under a key of their own. Erase one, and nothing of them can be decrypted any more, wherever it is."
    >
      <FindDataSubject />
      <PagedList<DataSubject>
        label="Data subjects"
        queryKey={[...key, "data-subjects"]}
        fetchPage={(after, signal) =>
          listDataSubjects(transport, { limit: PAGE_SIZE }, { signal }).page(after)
        }
        keyOf={({ id }) => id}
        columns={[
          {
            header: "Id",
            cell: ({ id }) => (
              <Link
                className={rowLinkClass}
                to="/apps/$appId/data-subjects/$dataSubjectId"
                params={{ appId: app.id, dataSubjectId: id }}
              >
                {id}
              </Link>
            ),
          },
          { header: "Status", cell: ({ status }) => <Status status={status} /> },
          { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState title="This app has no data subject">
            <Text c="dimmed">
              Encrypt with the header <Code>X-Service-Data-Subject</Code> and your id of a person. The first
              time, that person appears here, under a random id.
            </Text>
          </EmptyState>
        }
      />
    </Page>
  )
}
