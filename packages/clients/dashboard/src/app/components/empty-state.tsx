import { Paper, Stack, Text, Title } from "@mantine/core"
import type { ReactNode } from "react"

/** What a list shows when it is empty: why, and what to do. */
export function EmptyState({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="xl">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4">
          {title}
        </Title>
        {typeof children === "string" ? <Text c="dimmed">{children}</Text> : children}
      </Stack>
    </Paper>
  )
}
