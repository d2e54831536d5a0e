import { NativeSelect, Text } from "@mantine/core"
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { DialogForm } from "./form-dialog.tsx"
import { SecretOnce } from "./secret-once.tsx"

const OVERLAPS = [
  { value: "0", label: "No longer" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "1 day" },
  { value: "604800", label: "7 days" },
]

interface RotationFormProps {
  /** What the old one is for as long as both work: "key". */
  readonly noun: string
  /** What is shown once: "new API key". */
  readonly secretName: string
  /** Says what the rotation does. */
  readonly children: ReactNode
  /** Rotates, and returns the new secret. */
  readonly rotate: (overlapSeconds: number) => Promise<string>
  /** What shows the rotated credential, to be read again. Default: nothing */
  readonly queryKey?: QueryKey
  readonly onClose: () => void
}

/** Asks how long the old credential works, rotates it, and shows the new one once. */
export function RotationForm({ noun, secretName, children, rotate, queryKey, onClose }: RotationFormProps) {
  const client = useQueryClient()
  const [overlapSeconds, setOverlapSeconds] = useState("86400")
  const rotating = useMutation({
    mutationFn: () => rotate(Number(overlapSeconds)),
    onSuccess: () => (queryKey === undefined ? undefined : client.invalidateQueries({ queryKey })),
  })
  if (rotating.data !== undefined) {
    return <SecretOnce name={secretName} secret={rotating.data} onDone={onClose} />
  }
  return (
    <DialogForm change={rotating} action="Rotate" onCancel={onClose}>
      <Text>{children}</Text>
      <NativeSelect
        label={`The old ${noun} works for`}
        value={overlapSeconds}
        onChange={({ currentTarget }) => setOverlapSeconds(currentTarget.value)}
        data={OVERLAPS}
      />
    </DialogForm>
  )
}
