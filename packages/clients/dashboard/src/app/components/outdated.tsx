import { Stack, Text } from "@mantine/core"
import type { ReactNode } from "react"

interface WhileCurrentProps {
  readonly isCurrent: boolean
  readonly children: ReactNode
}

/** Hides an answer, and keeps its place, until the next one is there: what was typed meanwhile may contradict it. */
export function WhileCurrent({ isCurrent, children }: WhileCurrentProps) {
  return (
    <Stack gap="sm" aria-busy={!isCurrent} style={{ visibility: isCurrent ? "visible" : "hidden" }}>
      {children}
    </Stack>
  )
}

/** Stands where a result was whose input has changed since. */
export function Outdated({ children }: { readonly children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" role="status">
      {children}
    </Text>
  )
}
