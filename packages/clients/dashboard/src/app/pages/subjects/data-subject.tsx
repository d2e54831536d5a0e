import { Alert, Button, Text } from "@mantine/core"
import { type DataSubject, deleteDataSubject, getDataSubject, restoreDataSubject } from "@sealway/sdk/api"
import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { BackLink } from "../../components/back-link.tsx"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Countdown } from "../../components/countdown.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { RecordPage } from "../../components/record-page.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"

const route = getRouteApi("/apps/$appId/data-subjects/$dataSubjectId")

const REFRESH_MS = 10_000

/** A data subject: whether it is erased, and how that is begun and undone. */
export function DataSubjectPage() {
  const { appId, dataSubjectId } = route.useParams()
  const { key, transport } = useApp()
  return (
    <RecordPage<DataSubject>
      kind="data subject"
      queryKey={[...key, "data-subjects", dataSubjectId]}
      find={(signal) => getDataSubject(transport, { dataSubjectId }, { signal })}
      refreshMs={({ status }) => status === "pending" && REFRESH_MS}
      titleOf={({ id }) => id}
      back={
        <BackLink to="/apps/$appId/data-subjects" params={{ appId }}>
          All data subjects
        </BackLink>
      }
      actions={(subject) => <Erasure subject={subject} />}
    >
      {(subject) => (
        <>
          <StateInWords subject={subject} />
          <SubjectFacts subject={subject} />
        </>
      )}
    </RecordPage>
  )
}

/** Begins the erasure, or undoes it while that is possible. */
function Erasure({ subject: { id, status } }: { readonly subject: DataSubject }) {
  const { app, key, transport } = useApp()
  const client = useQueryClient()
  const may = useMay()
  // Each dialog is its own, so that the first does not turn into the second while it closes.
  const [asked, setAsked] = useState<"erase" | "restore" | null>(null)
  const close = () => setAsked(null)
  const change = async (changed: Promise<DataSubject>) => {
    await changed
    await client.invalidateQueries({ queryKey: [...key, "data-subjects"] })
  }
  return (
    <>
      {status === "active" && may("dataSubject:delete") && (
        <Button color="red" onClick={() => setAsked("erase")}>
          Erase
        </Button>
      )}
      {status === "pending" && may("dataSubject:restore") && (
        <Button onClick={() => setAsked("restore")}>Undo the erasure</Button>
      )}
      <ConfirmDialog
        isOpen={asked === "erase"}
        onClose={close}
        title="Erase the data subject?"
        action="Erase"
        nameToType={id}
        onConfirm={() => change(deleteDataSubject(transport, { dataSubjectId: id }))}
      >
        <Text>
          Within 10 seconds, nothing of it can be decrypted any more: in databases, backups, logs and other
          systems. {windowInWords(app.erasureDays)}
        </Text>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === "restore"}
        onClose={close}
        title="Undo the erasure?"
        action="Undo"
        onConfirm={() => change(restoreDataSubject(transport, { dataSubjectId: id }))}
      >
        <Text>Within 10 seconds, its values can be encrypted and decrypted again.</Text>
      </ConfirmDialog>
    </>
  )
}

/** Says for how long an erasure can be undone. @param days the setting of the app */
function windowInWords(days: number): string {
  if (days === 0) return "The key is destroyed at once. This cannot be undone."
  return `For ${days === 1 ? "a day" : `${days} days`} this can be undone. Then the key is destroyed.`
}

function StateInWords({ subject: { status, eraseAt } }: { readonly subject: DataSubject }) {
  if (status === "active") return null
  if (status === "erased" || eraseAt === null) {
    return (
      <Alert color="red" variant="light" title="The key is destroyed">
        Nobody can decrypt its values any more, and nothing brings them back.
      </Alert>
    )
  }
  return (
    <Alert color="yellow" variant="light" title="The erasure can still be undone">
      Its values cannot be decrypted. The key is destroyed in <Countdown until={eraseAt} />.
    </Alert>
  )
}

function SubjectFacts({ subject }: { readonly subject: DataSubject }) {
  const times = [
    ["Created", subject.createdAt],
    ["Erasure asked for", subject.requestedAt],
    ["Undo window ends", subject.eraseAt],
    ["Key destroyed", subject.erasedAt],
  ] as const
  return (
    <Facts label="Data subject">
      <Fact name="Status">
        <Status status={subject.status} />
      </Fact>
      <Fact name="Id">{subject.id}</Fact>
      {times.map(
        ([name, at]) =>
          at !== null && (
            <Fact name={name} key={name}>
              <Time at={at} />
            </Fact>
          ),
      )}
    </Facts>
  )
}
