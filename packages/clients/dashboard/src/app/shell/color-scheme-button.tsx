import { Button, useComputedColorScheme, useMantineColorScheme } from "@mantine/core"

/** Switches between light and dark. Without a choice, the page follows the system. */
export function ColorSchemeButton() {
  // Otherwise Mantine would switch transitions off by an inline style.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const isDark = useComputedColorScheme("light") === "dark"
  return (
    <Button variant="default" size="compact-xs" onClick={() => setColorScheme(isDark ? "light" : "dark")}>
      {isDark ? "Light" : "Dark"}
    </Button>
  )
}
