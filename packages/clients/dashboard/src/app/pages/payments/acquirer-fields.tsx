import { Checkbox, Fieldset, Stack, Text, TextInput } from "@mantine/core"
import {
  ACQUIRER_NETWORKS,
  type AcquirerDraft,
  type AcquirerNetwork,
  NETWORK_NAMES,
  withConfiguration,
  withNetwork,
} from "./acquirer-draft.ts"

interface AcquirerFieldsProps {
  readonly draft: AcquirerDraft
  readonly onChange: (draft: AcquirerDraft) => void
}

/** The fields of an acquirer, in the dialogs that create one and edit one. */
export function AcquirerFields({ draft, onChange }: AcquirerFieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        value={draft.name}
        onChange={({ currentTarget }) => onChange({ ...draft, name: currentTarget.value })}
        required
        maxLength={100}
        data-autofocus
      />
      <TextInput
        label="Description"
        description="For people; it may be empty"
        value={draft.description}
        onChange={({ currentTarget }) => onChange({ ...draft, description: currentTarget.value })}
        maxLength={500}
      />
      <Checkbox
        label="The default: 3-D Secure sessions without an acquirer use it"
        checked={draft.isDefault}
        onChange={({ currentTarget }) => onChange({ ...draft, isDefault: currentTarget.checked })}
      />
      <Fieldset legend="Networks">
        <Stack gap="sm">
          {draft.configurations.length === 0 && (
            <Text size="sm" c="dimmed">
              Choose at least one. Your bank tells you the numbers for each.
            </Text>
          )}
          {ACQUIRER_NETWORKS.map((network) => (
            <NetworkFields key={network} network={network} draft={draft} onChange={onChange} />
          ))}
        </Stack>
      </Fieldset>
    </>
  )
}

const FIELDS = [
  { name: "bin", label: "BIN", hint: "6 to 11 digits", pattern: "[0-9]{6,11}", maxLength: 11 },
  {
    name: "acquirerMerchantIdentifier",
    label: "merchant identifier",
    hint: "Your number at the bank",
    pattern: "[0-9A-Za-z ._\\/\\-]{1,35}",
    maxLength: 35,
  },
  { name: "country", label: "country", hint: "ISO 3166-1, such as ie", pattern: "[A-Za-z]{2}", maxLength: 2 },
] as const

/** One network, and its details once it is chosen. */
function NetworkFields({
  network,
  draft,
  onChange,
}: AcquirerFieldsProps & { readonly network: AcquirerNetwork }) {
  const configuration = draft.configurations.find((each) => each.network === network)
  return (
    <>
      <Checkbox
        label={NETWORK_NAMES[network]}
        checked={configuration !== undefined}
        onChange={({ currentTarget }) => onChange(withNetwork(draft, network, currentTarget.checked))}
      />
      {configuration !== undefined &&
        FIELDS.map(({ name, label, hint, pattern, maxLength }) => (
          <TextInput
            key={name}
            label={`${NETWORK_NAMES[network]} ${label}`}
            description={hint}
            value={configuration[name]}
            onChange={({ currentTarget }) =>
              onChange(withConfiguration(draft, { ...configuration, [name]: currentTarget.value }))
            }
            required
            pattern={pattern}
            title={hint}
            maxLength={maxLength}
            autoComplete="off"
            spellCheck={false}
          />
        ))}
    </>
  )
}
