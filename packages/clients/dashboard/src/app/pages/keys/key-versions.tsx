import { type KeyVersionList, listKeyVersions } from "@sealway/sdk/api"
import { useApp } from "../../api/app.ts"
import { teamTransport } from "../../api/transport.ts"
import { PagedList } from "../../components/paged-list.tsx"
import { Time } from "../../components/time.tsx"

type KeyVersion = KeyVersionList["data"][number]

/** The key versions of an app, the one that encrypts new values first. */
export function KeyVersions() {
  const { app, key } = useApp()
  return (
    <PagedList<KeyVersion>
      label="Key versions"
      queryKey={[...key, "key-versions"]}
      fetchPage={async (_, signal) => ({
        data: (await listKeyVersions(teamTransport, { appId: app.id }, { signal })).data,
        next: null,
      })}
      keyOf={({ version }) => String(version)}
      columns={[
        { header: "Version", cell: ({ version }) => version },
        {
          header: "Private keys",
          cell: ({ custody }) => (custody === "hsm" ? "In an HSM" : "Encrypted by KMS"),
        },
        { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
      empty="The app has no key."
    />
  )
}
