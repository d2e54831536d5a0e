import { Stack, Text, Title } from "@mantine/core"
import { useDocumentTitle } from "@mantine/hooks"
import type { ReactNode } from "react"
import classes from "./page.module.css"

interface PageProps {
  readonly title: string
  /** A sentence that says what the page is for. */
  readonly about?: ReactNode
  /** Buttons for what can be done here. */
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

/** The frame of every page: its title, which is also that of the tab, what it is for, and its actions. */
export function Page({ title, about, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Sealway`)
  return (
    <Stack gap="lg">
      <div className={classes.head}>
        <Stack gap={4}>
          <Title order={1} size="h2">
            {title}
          </Title>
          {about !== undefined && <Text c="dimmed">{about}</Text>}
        </Stack>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </div>
      {children}
    </Stack>
  )
}
