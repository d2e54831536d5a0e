import { Button, Group, type MantineColor, Modal, Stack } from "@mantine/core"
import type { FormEvent, ReactNode } from "react"
import { Problem } from "./problem.tsx"

interface DialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: string
  /** Its own component, so that what was typed is gone when the dialog opens again. */
  readonly children: ReactNode
}

/** A dialog whose content exists only while it is open. */
export function Dialog({ isOpen, onClose, title, children }: DialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeButtonProps={{ "aria-label": "Close" }}>
      {isOpen && children}
    </Modal>
  )
}

interface DialogFormProps {
  /** What the form does, of `useMutation`. */
  readonly change: { readonly mutate: () => void; readonly isPending: boolean; readonly error: Error | null }
  /** The verb of the button: "Create". */
  readonly action: string
  /** The colour of the button. Default: that of an ordinary change */
  readonly color?: MantineColor
  /** Whether the change cannot be made yet. Default: no */
  readonly isIncomplete?: boolean
  readonly onCancel: () => void
  /** Whether the form shows its error as a whole. Default: yes */
  readonly showsProblem?: boolean
  readonly children: ReactNode
}

/** The fields of a dialog, with the problem and the buttons below them. */
export function DialogForm({
  change,
  action,
  color = "blue",
  isIncomplete = false,
  onCancel,
  showsProblem = true,
  children,
}: DialogFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isIncomplete) change.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {children}
        {showsProblem && change.error && <Problem error={change.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" color={color} loading={change.isPending} disabled={isIncomplete}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
