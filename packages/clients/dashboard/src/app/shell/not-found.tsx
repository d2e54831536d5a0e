import { Link } from "@tanstack/react-router"
import { Page } from "../components/page.tsx"

export function NotFound() {
  return (
    <Page title="There is no such page" about="The address may be misspelled, or the page has moved.">
      <Link to="/">Go to the first page</Link>
    </Page>
  )
}
