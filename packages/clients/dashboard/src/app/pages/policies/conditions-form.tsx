import {
  Checkbox,
  Fieldset,
  Group,
  NativeSelect,
  NumberInput,
  Stack,
  TagsInput,
  TextInput,
} from "@mantine/core"
import type { DataPolicyConditions } from "@sealway/sdk/api"

const SOURCES = [
  { value: "api", label: "POST /decrypt" },
  { value: "client-token", label: "Client-side tokens" },
  { value: "relay", label: "Relays" },
  { value: "function", label: "Functions" },
  { value: "enclave", label: "Enclaves" },
] as const

const LISTS = [
  { name: "ipRanges", label: "Client addresses", hint: "10.0.0.0/8, then Enter" },
  { name: "relayDestinations", label: "Destinations of relays", hint: "api.example.com, then Enter" },
  { name: "functions", label: "Functions", hint: "Name, then Enter" },
  { name: "apiKeys", label: "API keys", hint: "key_…, then Enter" },
] as const

const PCRS = ["pcr0", "pcr1", "pcr2", "pcr8"] as const
const PERIODS = ["minute", "hour", "day"] as const

interface ConditionsFormProps {
  readonly conditions: DataPolicyConditions
  readonly effect: "permit" | "forbid"
  readonly onChange: (conditions: DataPolicyConditions) => void
  /** What the service says about a condition. @param pointer such as `/ipRanges` */
  readonly errorAt: (pointer: string) => string | undefined
}

/** The conditions of a policy. All that are filled in must hold; without any, the policy always applies. */
export function ConditionsForm({ conditions, effect, onChange, errorAt }: ConditionsFormProps) {
  const change = (changed: Partial<DataPolicyConditions>) => onChange({ ...conditions, ...changed })
  const { time = {}, enclavePcrs = {}, budget } = conditions
  const daily = time.daily ?? { from: "", to: "", timezone: "" }
  const setDaily = (changed: Partial<typeof daily>) => {
    const { daily: _before, ...others } = time
    const next = { ...daily, ...changed }
    const isGiven = next.from !== "" || next.to !== ""
    change({
      time: { ...others, ...(isGiven && { daily: { ...next, timezone: next.timezone || ownTimeZone() } }) },
    })
  }
  return (
    <Stack gap="md">
      <Checkbox.Group
        label="Through"
        description="None chosen: through all of them"
        value={[...(conditions.sources ?? [])]}
        error={errorAt("/sources")}
        onChange={(chosen) =>
          change({ sources: SOURCES.map(({ value }) => value).filter((value) => chosen.includes(value)) })
        }
      >
        <Group gap="md" mt="xs">
          {SOURCES.map((source) => (
            <Checkbox key={source.value} {...source} />
          ))}
        </Group>
      </Checkbox.Group>
      {LISTS.map(({ name, label, hint }) => (
        <TagsInput
          key={name}
          label={label}
          placeholder={hint}
          value={[...(conditions[name] ?? [])]}
          error={errorAt(`/${name}`)}
          onChange={(value) => change({ [name]: value })}
          acceptValueOnBlur
          clearButtonProps={{ "aria-label": `Clear: ${label}` }}
        />
      ))}
      <Fieldset legend="Every day">
        <Group gap="sm" align="flex-start">
          <TextInput
            label="From"
            type="time"
            value={daily.from}
            onChange={({ currentTarget }) => setDaily({ from: currentTarget.value })}
          />
          <TextInput
            label="To"
            type="time"
            value={daily.to}
            onChange={({ currentTarget }) => setDaily({ to: currentTarget.value })}
          />
          <NativeSelect
            label="Time zone"
            value={daily.timezone || ownTimeZone()}
            onChange={({ currentTarget }) => setDaily({ timezone: currentTarget.value })}
            data={timeZones()}
          />
        </Group>
      </Fieldset>
      <Fieldset legend="Between two times">
        <Group gap="sm" align="flex-start">
          {(["notBefore", "notAfter"] as const).map((name) => (
            <TextInput
              key={name}
              label={name === "notBefore" ? "Since" : "Until"}
              placeholder="2026-01-31T18:00:00Z"
              value={time[name] ?? ""}
              error={errorAt(`/time/${name}`)}
              onChange={({ currentTarget }) => change({ time: { ...time, [name]: currentTarget.value } })}
            />
          ))}
        </Group>
      </Fieldset>
      {effect === "permit" && (
        <Fieldset legend="Budget of each API key">
          <Group gap="sm" align="flex-start">
            <NumberInput
              label="Values"
              min={1}
              allowDecimal={false}
              value={budget?.values ?? ""}
              error={errorAt("/budget")}
              onChange={(values) => {
                const { budget: _before, ...others } = conditions
                onChange(
                  typeof values === "number"
                    ? { ...others, budget: { values, per: budget?.per ?? "hour" } }
                    : others,
                )
              }}
            />
            <NativeSelect
              label="Per"
              value={budget?.per ?? "hour"}
              onChange={({ currentTarget }) => {
                const per = PERIODS.find((period) => period === currentTarget.value) ?? "hour"
                change({ budget: { values: budget?.values ?? 1000, per } })
              }}
              data={[...PERIODS]}
            />
          </Group>
        </Fieldset>
      )}
      <details>
        <summary>Measurements of an enclave</summary>
        <Stack gap="sm" mt="sm">
          {PCRS.map((pcr) => (
            <TextInput
              key={pcr}
              label={pcr.toUpperCase()}
              placeholder="96 hexadecimal digits"
              value={enclavePcrs[pcr] ?? ""}
              error={errorAt(`/enclavePcrs/${pcr}`)}
              onChange={({ currentTarget }) =>
                change({ enclavePcrs: { ...enclavePcrs, [pcr]: currentTarget.value } })
              }
            />
          ))}
        </Stack>
      </details>
    </Stack>
  )
}

const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

function timeZones(): string[] {
  return [...new Set([ownTimeZone(), "UTC", ...Intl.supportedValuesOf("timeZone")])]
}
