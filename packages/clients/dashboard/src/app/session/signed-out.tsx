import { Button, Code, Container, Stack, Text, Title } from "@mantine/core"

/** What somebody without a session sees. When they sign in in another tab, this page notices. */
export function SignedOut() {
  return (
    <Container size="xs" py="xl" component="main">
      <Stack gap="md" align="flex-start">
        <Title order={1}>Sealway</Title>
        <Text>You are not signed in, or your session has ended.</Text>
        <Button component="a" href={`${API_PATH}/sign-in`}>
          Sign in
        </Button>
        <Text c="dimmed">
          On the machine that runs Sealway, <Code>npx sealway dashboard</Code> prints a link that signs you
          in. Open it in this browser and come back: this page continues where it was.
        </Text>
      </Stack>
    </Container>
  )
}
