import { Button, NativeSelect, Text, useComputedColorScheme, useMantineColorScheme } from "@mantine/core"
import { notifications } from "@mantine/notifications"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link, Outlet, useLocation, useNavigate, useParams } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { useApps } from "../api/app.ts"
import { forgetSession } from "../api/query-client.ts"
import { signOut } from "../api/session-operations.ts"
import { teamTransport } from "../api/transport.ts"
import { detailOf } from "../components/problem.tsx"
import { useSession } from "../session/session.tsx"
import { appPages, TEAM_PAGES } from "./navigation.ts"
import classes from "./shell.module.css"

/** What surrounds every page: the navigation, the app that pages are about, who is signed in. */
export function Shell() {
  const { team, member } = useSession()
  const { appId } = useParams({ strict: false })
  const { pathname } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  // Screen readers and keyboards go on in the new page, and the menu of a phone closes.
  useEffect(() => {
    setOpen(false)
    if (!isFirst.current) main.current?.focus()
    isFirst.current = false
  }, [pathname])
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        Skip to the content
      </a>
      <aside className={classes.side} aria-label="Team and pages">
        <div className={classes.brand}>
          <Text fw={700} size="lg">
            Sealway
          </Text>
          <Button
            className={classes.menu ?? ""}
            variant="default"
            size="compact-sm"
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setOpen(!isOpen)}
          >
            Menu
          </Button>
        </div>
        <div id="navigation" className={classes.navigation} data-open={isOpen}>
          <AppSwitcher appId={appId ?? null} />
          <nav aria-label="Pages">
            {appId !== undefined && (
              <ul className={classes.list}>
                {appPages(appId).map(({ label, link }) => (
                  <li key={label}>
                    <Link className={classes.link} {...link}>
                      {label}
                    </Link>
                  </li>
                ))}
              </ul>
            )}
            <h2 className={classes.heading}>{team.name}</h2>
            <ul className={classes.list}>
              {TEAM_PAGES.map(({ label, link }) => (
                <li key={label}>
                  <Link className={classes.link} {...link}>
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <div className={classes.person}>
            <Text size="sm">{member.email ?? member.name}</Text>
            <Text size="xs" c="dimmed">
              {member.role} of {team.name}
            </Text>
            <div className={classes.buttons}>
              <ColorSchemeButton />
              <SignOutButton />
            </div>
          </div>
        </div>
      </aside>
      <main id="content" ref={main} tabIndex={-1} className={classes.main}>
        <Outlet />
      </main>
    </div>
  )
}

/** Chooses the app that pages are about. @param appId the current one; null on pages about the team */
function AppSwitcher({ appId }: { readonly appId: string | null }) {
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

/** Switches between light and dark. Without a choice, the page follows the system. */
function ColorSchemeButton() {
  // Otherwise Mantine would switch transitions off by an inline style.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const isDark = useComputedColorScheme("light") === "dark"
  return (
    <Button variant="default" size="compact-xs" onClick={() => setColorScheme(isDark ? "light" : "dark")}>
      {isDark ? "Light" : "Dark"}
    </Button>
  )
}

function SignOutButton() {
  const client = useQueryClient()
  const leaving = useMutation({
    mutationFn: () => signOut(teamTransport),
    onSuccess: () => forgetSession(client),
    onError: (error) =>
      notifications.show({ color: "red", title: "Not signed out", message: detailOf(error) }),
  })
  return (
    <Button variant="default" size="compact-xs" loading={leaving.isPending} onClick={() => leaving.mutate()}>
      Sign out
    </Button>
  )
}
