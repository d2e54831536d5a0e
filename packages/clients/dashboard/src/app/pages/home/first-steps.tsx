import { List, Paper, Stack, Text, Title } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"

/** What to do with an app that has not encrypted anything yet. */
export function FirstSteps() {
  const { app } = useApp()
  const params = { appId: app.id }
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2} size="h4">
          First steps
        </Title>
        <Text c="dimmed">This app has not encrypted anything yet.</Text>
        <List type="ordered" spacing="xs">
          <List.Item>
            <Link to="/apps/$appId/playground" params={params}>
              Encrypt something in the playground
            </Link>{" "}
            and look at its tokens.
          </List.Item>
          <List.Item>
            <Link to="/apps/$appId/policies" params={params}>
              Create a data role and a policy
            </Link>{" "}
            that say who may decrypt what.
          </List.Item>
          <List.Item>
            <Link to="/apps/$appId/keys" params={params}>
              Create an API key
            </Link>{" "}
            for your program, with no more scopes than it needs.
          </List.Item>
        </List>
      </Stack>
    </Paper>
  )
}
