import type { Appearance } from "@sealway/sdk/protocol"
import { directionOf } from "./texts.ts"

/** `fontSize` → `--font-size`, as the style sheet names it. */
const variableOf = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** The variables that were set last, so that a theme without one of them takes it back. */
const applied = new WeakMap<HTMLElement, readonly string[]>()

/**
 * Shows a frame as its page wants it. The values were read by `readAppearance`: colours, lengths and font names, which
 * can load nothing; the frame's policy would not allow it either.
 *
 * @returns the locale of its texts
 */
export function applyAppearance(document: Document, { theme, scheme, locale }: Appearance): string {
  const root = document.documentElement
  for (const name of applied.get(root) ?? []) root.style.removeProperty(name)
  const entries = Object.entries(theme).map(([name, value]) => [variableOf(name), value] as const)
  for (const [name, value] of entries) root.style.setProperty(name, value)
  applied.set(
    root,
    entries.map(([name]) => name),
  )
  root.dataset.scheme = scheme
  const shown = locale ?? document.defaultView?.navigator.language ?? "en"
  root.lang = shown
  root.dir = directionOf(shown)
  return shown
}
