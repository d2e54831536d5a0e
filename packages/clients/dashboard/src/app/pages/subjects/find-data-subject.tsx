import { Button, Group, Text, TextInput } from "@mantine/core"
import { listDataSubjects } from "@sealway/sdk/api"
import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { useApp } from "../../api/app.ts"
import { Problem } from "../../components/problem.tsx"

/**
 * Finds a data subject by the team's own id of it. That id may be personal data: it is in no address, and nothing here
 * keeps it.
 */
export function FindDataSubject() {
  const { app, transport } = useApp()
  const navigate = useNavigate()
  const [reference, setReference] = useState("")
  const finding = useMutation({
    gcTime: 0,
    mutationFn: () => listDataSubjects(transport, { dataSubject: reference }).first(),
    async onSuccess([found]) {
      if (found === undefined) return
      await navigate({
        to: "/apps/$appId/data-subjects/$dataSubjectId",
        params: { appId: app.id, dataSubjectId: found.id },
      })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reference !== "") finding.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Group gap="md" align="flex-end">
        <TextInput
          label="Your id of a person"
          value={reference}
          onChange={({ currentTarget }) => {
            finding.reset()
            setReference(currentTarget.value)
          }}
          maxLength={128}
          autoComplete="off"
          spellCheck={false}
        />
        <Button type="submit" variant="default" disabled={reference === ""} loading={finding.isPending}>
          Find
        </Button>
        <Text role="status">{finding.data?.length === 0 && "None, or it is erased"}</Text>
      </Group>
      {finding.error && <Problem error={finding.error} />}
    </form>
  )
}
