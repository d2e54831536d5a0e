import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { chromium, type Frame, type Browser as PlaywrightBrowser } from "playwright-core"

/** Returns the path of a Chromium on this machine; null when there is none. */
export function findChromium(): string | null {
  const folders = (process.env.PATH ?? "").split(delimiter)
  const names = ["chromium", "chromium-browser", "google-chrome"]
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return paths.find((path) => existsSync(path)) ?? null
}

/** Starts a Chromium without a window. @param path of its program */
export function launchChromium(path: string): Promise<PlaywrightBrowser> {
  // Neither root nor most containers can set up a sandbox; the pages that are opened are ours.
  return chromium.launch({ executablePath: path, chromiumSandbox: false, args: ["--disable-gpu"] })
}

/** A page in a browser. */
export interface BrowserPage {
  /** Runs an expression in the page, and waits for it. @returns its value, through JSON */
  evaluate(expression: string): Promise<unknown>
  /** The document in a frame whose address begins so, of whatever origin. Null: there is none. */
  frame(address: string): Promise<Pick<BrowserPage, "evaluate"> | null>
  /** All documents in frames whose addresses begin so, in the order of the page. */
  frames(address: string): Promise<readonly Pick<BrowserPage, "evaluate">[]>
  /** Writes into what has the focus, in whatever frame, as a keyboard does: a key for each character. */
  type(text: string): Promise<void>
  /** Presses a key that writes nothing: `Tab`, `Enter`, `Backspace`. */
  press(key: string, modifiers?: readonly Modifier[]): Promise<void>
  /** Clicks with the mouse, in pixels of the page. */
  click(x: number, y: number): Promise<void>
  /** Grants permissions, by Playwright's names, to an origin. */
  grant(permissions: readonly string[], origin: string): Promise<void>
  /** Sends a command of the DevTools protocol. */
  command(method: string, params?: object): Promise<Readonly<Record<string, unknown>>>
}

const MODIFIERS = { alt: "Alt", control: "Control", meta: "Meta", shift: "Shift" } as const
export type Modifier = keyof typeof MODIFIERS

export interface Browser extends AsyncDisposable {
  open(url: string): Promise<BrowserPage>
}

/** Commands of the DevTools protocol, of which Playwright knows only those of its own version. */
interface DevTools {
  send(method: string, params: object): Promise<Readonly<Record<string, unknown>>>
}

/** Starts a Chromium for tests that drive pages by expressions. All of its pages share their cookies. */
export async function startChromium(path: string): Promise<Browser> {
  const browser = await launchChromium(path)
  const context = await browser.newContext()
  return {
    async open(url) {
      const page = await context.newPage()
      const devTools: DevTools = await context.newCDPSession(page)
      await page.goto(url, { waitUntil: "commit" })
      const framesAt = async (address: string) =>
        (await framesOf(page.mainFrame()))
          .filter((frame) => frame.url().startsWith(address))
          .map((frame) => ({ evaluate: (expression: string) => frame.evaluate(expression) }))
      return {
        evaluate: (expression) => page.evaluate(expression),
        frame: async (address) => (await framesAt(address))[0] ?? null,
        frames: framesAt,
        type: (text) => page.keyboard.type(text),
        press: (key, modifiers = []) =>
          page.keyboard.press([...modifiers.map((each) => MODIFIERS[each]), key].join("+")),
        click: (x, y) => page.mouse.click(x, y),
        grant: (permissions, origin) => context.grantPermissions([...permissions], { origin }),
        command: (method, params = {}) => devTools.send(method, params),
      }
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

/** Returns the frames in a frame, and in those, in the order of their elements; `object` and `embed` come last. */
async function framesOf(frame: Frame): Promise<readonly Frame[]> {
  const elements = await frame.$$("iframe")
  const frames = await Promise.all(elements.map((element) => element.contentFrame()))
  const inside = frames.flatMap((each) => (each === null ? [] : [each]))
  const others = frame.childFrames().filter((each) => !inside.includes(each))
  return (
    await Promise.all([...inside, ...others].map(async (each) => [each, ...(await framesOf(each))]))
  ).flat()
}
