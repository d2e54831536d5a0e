import {
  type Appearance,
  type RevealFrameMessage,
  type RevealSettings,
  readRevealPageMessage,
  readRevealStart,
} from "@sealway/sdk/protocol"
import { compactDecrypt } from "jose"
import { groupCardNumber } from "../rules/card-number-rules.ts"
import { applyAppearance } from "./apply-appearance.ts"
import { type HandedOver, receiveFromFrames } from "./hand-over.ts"
import { receiveStart } from "./receive-start.ts"
import { reportHeight } from "./report-height.ts"
import { textsOf } from "./texts.ts"

export interface RevealFrameOptions {
  readonly window: Window
  readonly origins: readonly string[]
  readonly fetch: typeof fetch
  readonly clipboard: Pick<Clipboard, "writeText"> | undefined
  readonly subtle: SubtleCrypto
}

/** The frame could not get the value. The code is the service's. */
class RevealError extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/**
 * Runs a frame that shows a value: it creates a key pair whose private key never leaves it, waits for a token that is
 * bound to it, and shows what the service answers.
 */
export async function runRevealFrame(options: RevealFrameOptions): Promise<void> {
  const { window, origins, subtle, clipboard } = options
  const { start, port } = await receiveStart(window, origins, readRevealStart)
  const tell = (message: RevealFrameMessage) => port.postMessage(message)
  const pair = await subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, false, ["deriveBits"])
  const key = base64url(new Uint8Array(await subtle.exportKey("raw", pair.publicKey)))
  const view = new RevealView(window, start, {
    tell,
    copy: (text) => (clipboard === undefined ? Promise.reject() : clipboard.writeText(text)),
  })
  const show = async ({ token, document }: HandedOver) => {
    try {
      const text = pick(await open(options, pair.privateKey, token, document), start.settings)
      // The page may have hidden the value before it was there.
      if (!view.isOver) view.show(text)
    } catch (error) {
      view.fail(error instanceof RevealError ? error.code : "unexpected-response")
    }
  }
  receiveFromFrames(window, (tokenKey, handedOver) => {
    if (tokenKey === key) void show(handedOver)
  })
  port.onmessage = ({ data }) => {
    const message = readRevealPageMessage(data)
    if (message?.type === "update") view.look(message.appearance)
    else if (message?.type === "hide") view.hide()
    else if (message?.type === "token") void show(message)
  }
  reportHeight(window.document.body, (height) => tell({ type: "height", height }))
  tell({ type: "key", key })
}

async function open(
  { fetch }: RevealFrameOptions,
  privateKey: CryptoKey,
  token: string,
  document: string,
): Promise<unknown> {
  const headers = { authorization: `Token ${token}`, "content-type": "application/json" }
  const response = await fetch("/reveal", {
    method: "POST",
    headers,
    body: document,
    redirect: "error" as const,
    // Else a browser would ask the reader for a password when the token is refused.
    credentials: "omit",
  }).catch(() => {
    throw new RevealError("connection-failed")
  })
  const answer = await response.json().catch(() => null)
  if (!response.ok) throw new RevealError(String(answer?.code ?? "unexpected-response"))
  const { plaintext } = await compactDecrypt(String(answer?.sealed), privateKey)
  return JSON.parse(new TextDecoder().decode(plaintext))
}

/** Returns the text of the field that is shown. */
function pick(document: unknown, { field, format }: RevealSettings): string {
  const fields = new Map(Object.entries(Object(document)))
  const value = field === null ? (fields.size === 1 ? [...fields.values()][0] : undefined) : fields.get(field)
  if (!["string", "number", "boolean"].includes(typeof value)) throw new RevealError("no-such-field")
  const text = String(value)
  return format === "digits" && /^[0-9]+$/.test(text) ? groupDigits(text) : text
}

const groupDigits = (digits: string) =>
  digits.length <= 19 ? groupCardNumber(digits) : digits.replace(/(.{4})(?=.)/g, "$1 ")

interface ViewPlatform {
  readonly tell: (message: RevealFrameMessage) => void
  readonly copy: (text: string) => Promise<void>
}

/** One line with the value, and a button that copies it. Its height is the same whatever it shows. */
class RevealView {
  readonly #window: Window
  readonly #settings: RevealSettings
  readonly #platform: ViewPlatform
  readonly #label: HTMLElement
  readonly #value: HTMLElement
  readonly #button: HTMLButtonElement
  #texts
  #appearance: Appearance
  #timer: number | null = null
  #shown: string | null = null
  #isOver = false
  #place: "loading" | "hidden" | "failed" | null = "loading"

  constructor(
    window: Window,
    { settings, appearance }: { settings: RevealSettings; appearance: Appearance },
    platform: ViewPlatform,
  ) {
    const { document } = window
    this.#window = window
    this.#settings = settings
    this.#platform = platform
    this.#appearance = appearance
    this.#texts = textsOf("en", {})
    this.#label = document.createElement("label")
    this.#label.id = "label"
    this.#value = document.createElement("div")
    this.#value.setAttribute("role", "textbox")
    this.#value.setAttribute("aria-readonly", "true")
    this.#value.setAttribute("aria-labelledby", "label")
    this.#value.tabIndex = 0
    this.#button = document.createElement("button")
    this.#button.type = "button"
    this.#button.addEventListener("click", () => void this.#copy())
    for (const name of ["copy", "cut", "dragstart"]) {
      document.addEventListener(name, (event) => event.preventDefault())
    }
    const box = document.createElement("div")
    box.className = "box"
    box.append(this.#value, this.#button)
    const root = document.createElement("div")
    root.className = "reveal"
    root.append(this.#label, box)
    document.body.replaceChildren(root)
    this.look(appearance)
  }

  look(appearance: Appearance): void {
    this.#appearance = appearance
    this.#texts = textsOf(applyAppearance(this.#window.document, appearance), appearance.texts)
    this.#window.document.title = this.#texts.text
    this.#label.textContent = this.#texts.text
    this.#label.className = appearance.showLabels ? "" : "unseen"
    this.#button.textContent = this.#texts.copy
    this.#draw()
  }

  /** Whether the value was hidden: what is hidden is not shown again. */
  get isOver(): boolean {
    return this.#isOver
  }

  show(text: string): void {
    this.#shown = text
    this.#place = null
    this.#draw()
    this.#platform.tell({ type: "shown" })
    if (this.#timer !== null) this.#window.clearTimeout(this.#timer)
    this.#timer = this.#window.setTimeout(() => this.hide(), this.#settings.showsForSeconds * 1_000)
  }

  hide(): void {
    if (this.#timer !== null) this.#window.clearTimeout(this.#timer)
    this.#timer = null
    this.#isOver = true
    this.#shown = null
    this.#place = "hidden"
    this.#draw()
    this.#platform.tell({ type: "hidden" })
  }

  fail(code: string): void {
    this.#shown = null
    this.#place = "failed"
    this.#draw()
    this.#platform.tell({ type: "failed", code })
  }

  #draw(): void {
    const place = this.#place
    this.#value.textContent = place === null ? this.#shown : this.#texts[place]
    this.#value.className = `value ${place === null ? "" : place === "failed" ? "wrong" : "quiet"}`
    this.#value.dir = this.#settings.format === "digits" && place === null ? "ltr" : "auto"
    this.#button.hidden = !this.#settings.hasCopyButton || place !== null
    this.#button.disabled = this.#appearance.isDisabled
  }

  async #copy(): Promise<void> {
    if (this.#shown === null) return
    const text = this.#settings.format === "digits" ? this.#shown.replaceAll(" ", "") : this.#shown
    try {
      await this.#platform.copy(text)
    } catch {
      this.#button.textContent = this.#texts.failed
      return
    }
    this.#button.textContent = this.#texts.copied
    this.#platform.tell({ type: "copied" })
    this.#window.setTimeout(() => {
      this.#button.textContent = this.#texts.copy
    }, 2_000)
  }
}

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")
