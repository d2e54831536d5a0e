import { TextInput } from "@mantine/core"
import { ChoicesField } from "../../components/choices-field.tsx"
import { EVENT_TYPES } from "./webhook-search.ts"

const CHOICES = [
  { value: "*", label: "all events" },
  { value: "payments.*", label: "all of payments" },
  { value: "enclave.deployment.*", label: "all of enclave deployments" },
  ...EVENT_TYPES.map((type) => ({ value: type, label: type })),
]

/** What somebody says about an endpoint. */
export interface EndpointDraft {
  readonly url: string
  readonly events: readonly string[]
  /** For people; it may be empty. */
  readonly description: string
}

/** Converts a draft to what the service takes. */
export const endpointOf = ({ url, events, description }: EndpointDraft) => ({
  url,
  events,
  description: description === "" ? null : description,
})

interface EndpointFieldsProps {
  readonly draft: EndpointDraft
  readonly onChange: (draft: EndpointDraft) => void
}

/** The fields of an endpoint, in the dialogs that add one and change one. */
export function EndpointFields({ draft, onChange }: EndpointFieldsProps) {
  const change = (changed: Partial<EndpointDraft>) => onChange({ ...draft, ...changed })
  return (
    <>
      <TextInput
        label="URL"
        description="It must be https, at a public address"
        value={draft.url}
        onChange={({ currentTarget }) => change({ url: currentTarget.value })}
        required
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <ChoicesField
        label="Events"
        data={CHOICES}
        value={draft.events}
        onChange={(events) => change({ events })}
        error={draft.events.length === 0 && "Choose at least one."}
        clearLabel="Clear the events"
      />
      <TextInput
        label="Description"
        description="For people; it may be empty"
        value={draft.description}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
        maxLength={200}
      />
    </>
  )
}
