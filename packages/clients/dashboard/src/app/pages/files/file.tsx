import { Stack, Text } from "@mantine/core"
import { formatBytes } from "@sealway/kernel/format-bytes"
import { deleteFile, type File, getFile } from "@sealway/sdk/api"
import { getRouteApi } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { BackLink } from "../../components/back-link.tsx"
import { CodeBlock } from "../../components/code-block.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { RecordPage } from "../../components/record-page.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"

const route = getRouteApi("/apps/$appId/files/$fileId")

const REFRESH_MS = 5_000

/** A sealed file: what is known about it, and how it is downloaded. */
export function FilePage() {
  const { appId, fileId } = route.useParams()
  const { key, transport } = useApp()
  const navigate = route.useNavigate()
  const may = useMay()
  const list = { to: "/apps/$appId/files", params: { appId } } as const
  const listKey = [...key, "files"]
  return (
    <RecordPage<File>
      kind="file"
      queryKey={[...listKey, fileId]}
      find={(signal) => getFile(transport, { fileId }, { signal })}
      refreshMs={({ status }) => status === "uploading" && REFRESH_MS}
      titleOf={nameOf}
      back={<BackLink {...list}>All files</BackLink>}
      deletion={{
        isAllowed: may("file:delete"),
        nameToType: nameOf,
        consequences: ({ status }) =>
          status === "ready"
            ? "Sealway stores no copy of it. This cannot be undone."
            : "The parts that have arrived are removed, and no more are accepted.",
        remove: () => deleteFile(transport, { fileId }),
        leave: () => navigate(list),
        listKey,
      }}
    >
      {(file) => (
        <Stack gap="md">
          <HowToGo file={file} />
          <FileFacts file={file} />
        </Stack>
      )}
    </RecordPage>
  )
}

function nameOf({ id, name }: File): string {
  return name ?? id
}

/** A session may not decrypt: the command line does, with an API key. */
function HowToGo({ file: { id, status } }: { readonly file: File }) {
  const isReady = status === "ready"
  return (
    <>
      <Text>
        {isReady
          ? "Being signed in is not enough to decrypt it. This needs an API key with the scope api:decrypt:"
          : "Parts are still missing. If the upload was interrupted, this sends them, beside the same file:"}
      </Text>
      <CodeBlock
        label="command"
        code={isReady ? `npx sealway files download ${id}` : `npx sealway files upload FILE --resume ${id}`}
      />
    </>
  )
}

function FileFacts({ file }: { readonly file: File }) {
  const { id, status, size, role, contentType, upload, createdAt, completedAt } = file
  return (
    <Facts label="File">
      <Fact name="Status">
        <Status status={status} />
      </Fact>
      <Fact name="Size">{formatBytes(size)}</Fact>
      <Fact name="Data role">{role ?? "None"}</Fact>
      <Fact name="Media type">{contentType}</Fact>
      <Fact name="Id">{id}</Fact>
      <Fact name="Created">
        <Time at={createdAt} />
      </Fact>
      {upload !== null && (
        <Fact name="Accepts parts until">
          <Time at={upload.endsAt} />
        </Fact>
      )}
      {completedAt !== null && (
        <Fact name="Completed">
          <Time at={completedAt} />
        </Fact>
      )}
    </Facts>
  )
}
