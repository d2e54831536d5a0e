import { NumberInput } from "@mantine/core"
import type { ApiKey } from "@sealway/sdk/api"

type Limits = ApiKey["limits"]

interface LimitFieldsProps {
  readonly limits: Limits
  readonly onChange: (limits: Limits) => void
  /** Default: false. */
  readonly isDisabled?: boolean
}

/** The limits of a key or an app. */
export function LimitFields({ limits, onChange, isDisabled = false }: LimitFieldsProps) {
  const common = {
    min: 1,
    allowDecimal: false,
    allowNegative: false,
    thousandSeparator: ",",
    hideControls: true,
    disabled: isDisabled,
  }
  return (
    <>
      <NumberInput
        {...common}
        label="Requests a second"
        description="On average over 10 seconds. More are refused until later"
        value={limits.requestsPerSecond}
        max={1_000_000}
        onChange={(value) => onChange({ ...limits, requestsPerSecond: Number(value) })}
      />
      <NumberInput
        {...common}
        label="Values a second"
        description="Values that are encrypted, decrypted or sent through relays"
        value={limits.valuesPerSecond}
        max={1_000_000_000}
        onChange={(value) => onChange({ ...limits, valuesPerSecond: Number(value) })}
      />
    </>
  )
}
