import { useApp } from "../../api/app.tsx"
import { Page } from "../../components/page.tsx"

export function Home() {
  const { app } = useApp()
  return (
    <Page title={app.name} about={`A ${app.environment} app`}>
      <p>{app.id}</p>
    </Page>
  )
}
