import { Button, Group, type MantineColor, Modal, Stack } from "@mantine/core"
import { createContext, type FormEvent, type ReactNode, use, useEffect, useState } from "react"
import { Problem } from "./problem.tsx"

/** Counts what keeps the dialog around it open. Nothing to count outside of a dialog. */
const KeepersContext = createContext<(change: 1 | -1) => void>(() => {})

/** Keeps the dialog around the caller open: not Escape, not a click outside, and not its close button closes it. */
export function useKeptOpen(isKept: boolean): void {
  const countKeeper = use(KeepersContext)
  useEffect(() => {
    if (!isKept) return
    countKeeper(1)
    return () => countKeeper(-1)
  }, [isKept, countKeeper])
}

interface DialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: string
  /** Its own component, so that what was typed is gone when the dialog opens again. */
  readonly children: ReactNode
}

/** A dialog whose content exists only while it is open, and decides whether it can be closed. */
export function Dialog({ isOpen, onClose, title, children }: DialogProps) {
  const [keepers, setKeepers] = useState(0)
  const [countKeeper] = useState(() => (change: 1 | -1) => setKeepers((count) => count + change))
  const isKept = keepers > 0
  const close = () => {
    if (!isKept) onClose()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={title}
      closeButtonProps={{ "aria-label": "Close", disabled: isKept }}
    >
      {isOpen && <KeepersContext value={countKeeper}>{children}</KeepersContext>}
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

/**
 * The fields of a dialog, with the problem and the buttons below them. While the change is under way the dialog stays
 * open: its answer may be a secret that is shown once.
 */
export function DialogForm({
  change,
  action,
  color = "blue",
  isIncomplete = false,
  onCancel,
  showsProblem = true,
  children,
}: DialogFormProps) {
  useKeptOpen(change.isPending)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isIncomplete && !change.isPending) change.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {children}
        {showsProblem && change.error && <Problem error={change.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} disabled={change.isPending}>
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
