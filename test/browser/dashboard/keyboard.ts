import type { FileChooser, Page } from "playwright-core"
import * as z from "zod"

/** Somebody who uses a page by keyboard alone. Each step waits until Tab reaches what it names. */
export interface Keyboard {
  /** Presses Tab until what has the focus has that name. While a dialog is open: something in the dialog. */
  tabTo(name: string | RegExp): Promise<void>
  /** Reaches a button, a link or a summary, and presses Enter. */
  press(name: string | RegExp): Promise<void>
  /** Reaches a checkbox or a switch, and presses Space. */
  toggle(name: string | RegExp): Promise<void>
  /** Reaches a field, and types over what it has. */
  write(label: string | RegExp, text: string): Promise<void>
  /** Reaches a list of choices, and types what the one it wants begins with. */
  choose(label: string, option: string): Promise<void>
  /** Reaches a group of tabs or of radio buttons, and goes to one of them with the arrow keys. */
  pick(name: string): Promise<void>
  /** Reaches a field of tags, and removes its last ones. */
  removeTags(label: string, count: number): Promise<void>
  /** Reaches a field for a file, and opens the browser's own dialog, which gets the file. */
  upload(label: string, file: Exclude<Parameters<FileChooser["setFiles"]>[0], string>): Promise<void>
  /** Presses keys wherever the focus is. */
  keys(...keys: readonly string[]): Promise<void>
}

const MAX_ARROWS = 20

/** What a step is for, by the element that has the focus. */
const KINDS = {
  any: "*",
  pressed: "button, a, summary",
  toggled: "[type=checkbox]",
  written: "input:not([type=checkbox], [type=radio]), textarea",
  chosen: "select",
} as const
type Kind = keyof typeof KINDS

const focusSchema = z.object({
  name: z.string(),
  kinds: z.array(z.string()),
  /** The names of the tabs or radio buttons beside it, and itself. */
  group: z.array(z.string()),
  /** Whether a dialog is open, and the focus is elsewhere. */
  isBehind: z.boolean(),
  /** What a list of choices has chosen. */
  chosen: z.string().nullable(),
})
type Focus = z.infer<typeof focusSchema>

/** Describes what has the focus. Labels of required fields end with an asterisk; those of switches are also their tracks. */
const DESCRIBE_FOCUS = `(() => {
  const nameOf = ({ ariaLabel, labels, textContent }) =>
    [ariaLabel, ...Array.from(labels ?? [], (label) => label.textContent), textContent]
      .map((name) => (name ?? "").trim().replace(/ \\*$/, "")).find((name) => name !== "") ?? ""
  const focused = document.activeElement
  const modal = document.querySelector("[role=dialog][aria-modal=true]")
  const beside = focused.role === "tab" ? focused.closest("[role=tablist]").querySelectorAll("[role=tab]")
    : focused.type === "radio" ? document.getElementsByName(focused.name) : []
  return {
    name: nameOf(focused),
    kinds: Object.entries(${JSON.stringify(KINDS)}).filter(([, selector]) => focused.matches(selector)).map(([kind]) => kind),
    group: Array.from(beside, nameOf),
    isBehind: modal !== null && !modal.contains(focused),
    chosen: focused.selectedOptions?.[0]?.label ?? null,
  }
})()`

/**
 * Resolves when a dialog that opens or closes has moved the focus: it does so in a timer, after it was painted. Somebody
 * who presses Enter sees where the focus is; a test that is faster would press what has the focus a moment later.
 */
const FOCUS_SETTLED = `new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 10)))).then(() => null)`

/** @param waitMs how long a step tries to reach what it names */
export function keyboardOf(page: Page, waitMs: number): Keyboard {
  const { keyboard } = page
  const focus = async () => focusSchema.parse(await page.evaluate(DESCRIBE_FOCUS))

  async function reach(what: string, isIt: (focus: Focus) => boolean): Promise<void> {
    const isReached = (focused: Focus) => !focused.isBehind && isIt(focused)
    const giveUpAt = performance.now() + waitMs
    const reached = new Set<string>()
    while (performance.now() < giveUpAt) {
      await keyboard.press("Tab")
      let focused = await focus()
      if (isReached(focused)) {
        await page.evaluate(FOCUS_SETTLED)
        focused = await focus()
        if (isReached(focused)) return
      }
      reached.add(focused.name.slice(0, 40))
    }
    throw new Error(`The keyboard does not reach ${what}, only ${[...reached].join(" | ")}`)
  }

  const reachNamed = (name: string | RegExp, kind: Kind) =>
    reach(String(name), (focused) => focused.kinds.includes(kind) && isNamed(focused.name, name))
  const press: Keyboard["press"] = async (name) => {
    await reachNamed(name, "pressed")
    await keyboard.press("Enter")
  }

  return {
    tabTo: (name) => reachNamed(name, "any"),
    press,
    async toggle(name) {
      await reachNamed(name, "toggled")
      await keyboard.press("Space")
    },
    async write(label, text) {
      await reachNamed(label, "written")
      await keyboard.press("ControlOrMeta+A")
      await (text === "" ? keyboard.press("Delete") : keyboard.insertText(text))
    },
    async choose(label, option) {
      await reachNamed(label, "chosen")
      await keyboard.type(option)
      const { chosen } = await focus()
      // Null when the choice has led to another page.
      if (chosen !== null && !chosen.startsWith(option))
        throw new Error(`"${label}" offers "${chosen}" instead of "${option}"`)
    },
    async pick(name) {
      await reach(`one beside ${name}`, ({ group }) => group.includes(name))
      for (let count = 0; count < MAX_ARROWS && (await focus()).name !== name; count++) {
        await keyboard.press("ArrowRight")
      }
    },
    async removeTags(label, count) {
      await reachNamed(label, "written")
      for (let removed = 0; removed < count; removed++) await keyboard.press("Backspace")
    },
    async upload(label, file) {
      const chooser = page.waitForEvent("filechooser")
      await press(label)
      await (await chooser).setFiles(file)
    },
    async keys(...keys) {
      for (const key of keys) await keyboard.press(key)
    },
  }
}

const isNamed = (found: string, name: string | RegExp): boolean =>
  typeof name === "string" ? found === name : name.test(found)
