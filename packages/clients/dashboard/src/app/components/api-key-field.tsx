import { PasswordInput } from "@mantine/core"

interface ApiKeyFieldProps {
  readonly value: string
  readonly onChange: (apiKey: string) => void
}

/** Asks for an API key, for what no session may do. The caller keeps it in the memory of a component, and nowhere else. */
export function ApiKeyField({ value, onChange }: ApiKeyFieldProps) {
  return (
    <PasswordInput
      label="API key"
      w={360}
      maw="100%"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      autoComplete="off"
      data-1p-ignore
      data-lpignore="true"
      visibilityToggleButtonProps={{ "aria-label": "Show the API key", tabIndex: 0 }}
      required
    />
  )
}
