import { Button, Text } from "@mantine/core"
import { Link, Outlet, useLocation, useParams } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { useSession } from "../session/session.tsx"
import { AppSwitcher } from "./app-switcher.tsx"
import { ColorSchemeButton } from "./color-scheme-button.tsx"
import { appPages, TEAM_PAGES } from "./navigation.ts"
import classes from "./shell.module.css"
import { SignOutButton } from "./sign-out-button.tsx"

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
