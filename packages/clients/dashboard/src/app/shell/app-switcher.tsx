import { NativeSelect } from "@mantine/core"
import { useLocation, useNavigate } from "@tanstack/react-router"
import { useApps } from "../api/app.ts"

/** Chooses the app that pages are about. @param appId the current one; null on pages about the team */
export function AppSwitcher({ appId }: { readonly appId: string | null }) {
  const apps = useApps()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  if (apps.data === undefined || apps.data.length === 0) return null
  const isKnown = apps.data.some(({ id }) => id === appId)
  const open = (next: string) => {
    // The same kind of page; what is deeper belongs to the app that is left.
    const [, , , page = ""] = pathname.split("/")
    return navigate({ to: appId === null || page === "" ? `/apps/${next}` : `/apps/${next}/${page}` })
  }
  return (
    <NativeSelect
      label="App"
      value={isKnown && appId !== null ? appId : ""}
      onChange={({ currentTarget }) => void open(currentTarget.value)}
      data={[
        ...(isKnown ? [] : [{ value: "", label: "Choose an app", disabled: true }]),
        ...apps.data.map(({ id, name, environment }) => ({ value: id, label: `${name} (${environment})` })),
      ]}
    />
  )
}
