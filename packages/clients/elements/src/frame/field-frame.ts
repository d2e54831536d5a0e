import {
  type Appearance,
  type FieldProblems,
  type FieldStart,
  type FieldState,
  type FrameMessage,
  readFieldStart,
  readPageMessage,
} from "@sealway/sdk/protocol"
import type { ClientSealingKey } from "@sealway/tokens/portable"
import { brandOfDigits } from "../rules/card-number-rules.ts"
import { coalesce } from "../rules/coalesce.ts"
import { type InputRule, inputRulesOf, type JudgeContext } from "../rules/input-rules.ts"
import { createLastFour } from "../rules/last-four.ts"
import { applyAppearance } from "./apply-appearance.ts"
import { InputControl } from "./input-control.ts"
import { receiveStart } from "./receive-start.ts"
import { reportHeight } from "./report-height.ts"
import { sealInputs } from "./seal-inputs.ts"
import { textsOf } from "./texts.ts"

export interface FieldFrameOptions {
  readonly window: Window
  /** Origins whose pages may use the frame. */
  readonly origins: readonly string[]
  readonly sealingKey: () => Promise<ClientSealingKey>
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** Runs a frame of fields: waits for its page, shows the inputs, and seals what they hold. */
export async function runFieldFrame({ window, origins, sealingKey, now }: FieldFrameOptions): Promise<void> {
  const { document } = window
  const { start, port } = await receiveStart(window, origins, readFieldStart)
  const tell = (message: FrameMessage) => port.postMessage(message)
  const fields = new FieldForm(document, start, {
    tell,
    now,
    sealingKey,
    timers: { set: window.setTimeout.bind(window), clear: window.clearTimeout.bind(window) },
  })
  port.onmessage = ({ data }) => {
    const message = readPageMessage(data)
    if (message?.type === "update") fields.show(message.appearance)
    else if (message?.type === "focus") fields.focus()
    else if (message?.type === "blur") fields.blur()
    else if (message?.type === "clear") fields.clear()
    else if (message?.type === "seal") void fields.seal(message.id)
  }
  reportHeight(document.body, (height) => tell({ type: "height", height }))
  tell({ type: "ready" })
}

interface FormPlatform extends Pick<FieldFrameOptions, "sealingKey" | "now"> {
  readonly tell: (message: FrameMessage) => void
  readonly timers: Parameters<typeof coalesce>[1]
}

class FieldForm {
  readonly #document: Document
  readonly #start: FieldStart
  readonly #platform: FormPlatform
  readonly #inputs: readonly InputControl[]
  readonly #change
  readonly #lastFour = createLastFour()
  #appearance: Appearance
  /** The last state that the page was told. */
  #told = ""
  #hasFocus = false

  constructor(document: Document, start: FieldStart, platform: FormPlatform) {
    this.#document = document
    this.#start = start
    this.#platform = platform
    this.#appearance = start.appearance
    this.#change = coalesce(() => this.#tellState(), platform.timers)
    this.#inputs = inputRulesOf(start.settings).map((rule) => this.#create(rule))
    const form = document.createElement("div")
    form.className = `fields ${start.settings.kind}`
    if (this.#inputs.length > 1) form.setAttribute("role", "group")
    form.append(...this.#inputs.map(({ element }) => element))
    document.body.replaceChildren(form)
    this.#look(start.appearance)
  }

  /** Shows the fields in another way. What is complete may depend on it: a brand decides how long a CVC is. */
  show(appearance: Appearance): void {
    this.#look(appearance)
    this.#change.ask()
  }

  #look(appearance: Appearance): void {
    this.#appearance = appearance
    const locale = applyAppearance(this.#document, appearance)
    const texts = textsOf(locale, appearance.texts)
    this.#document.title = texts[this.#inputs[0]?.rule.name ?? "text"]
    const form = this.#document.querySelector(".fields")
    if (this.#inputs.length > 1) form?.setAttribute("aria-label", texts.number)
    for (const input of this.#inputs) {
      input.show({ texts, showsLabel: appearance.showLabels, isDisabled: appearance.isDisabled })
    }
  }

  focus(): void {
    const first = this.#inputs.find((input) => this.#problemOf(input) !== null) ?? this.#inputs[0]
    first?.focus()
  }

  blur(): void {
    for (const input of this.#inputs) input.blur()
  }

  clear(): void {
    for (const input of this.#inputs) input.clear()
    this.#showBrand()
    this.#change.ask()
  }

  /** Seals what the inputs hold, once typing has paused: else the length of a token would tell of each key. */
  async seal(id: number): Promise<void> {
    await this.#change.settled()
    const problems: FieldProblems = Object.fromEntries(
      this.#inputs.flatMap((input) => {
        const problem = this.#problemOf(input)
        input.showProblem(problem)
        if (problem === null) return []
        return [[input.rule.name, problem === "required" ? "required" : "invalid"]]
      }),
    )
    const { tell, sealingKey, now } = this.#platform
    if (Object.keys(problems).length > 0) return tell({ type: "refused", id, problems })
    const values = Object.fromEntries(this.#inputs.map(({ rule, value }) => [rule.name, value]))
    try {
      const { role } = this.#start.settings
      const number = this.#numberDigits()
      const lastFour = number === null ? null : this.#lastFour(number)
      const sealed = await sealInputs(await sealingKey(), values, { role, encryptedAt: seconds(now()) })
      tell({ type: "sealed", id, values: { ...sealed, ...(lastFour !== null && { lastFour }) } })
    } catch {
      tell({ type: "failed", id })
    }
  }

  #create(rule: InputRule): InputControl {
    const input = new InputControl(this.#document, rule, {
      onInput: () => {
        const isWrong = rule.isFull(input.value) && this.#problemOf(input)
        input.showProblem(isWrong || null)
        this.#showBrand()
        this.#change.ask()
      },
      onFocus: () => this.#tellFocus(),
      onBlur: () => {
        if (input.value !== "") input.showProblem(this.#problemOf(input))
        this.#tellFocus()
        this.#change.ask()
      },
      onEnter: () => this.#platform.tell({ type: "enter" }),
    })
    return input
  }

  #context(): JudgeContext {
    const digits = this.#numberDigits()
    return {
      nowMs: this.#platform.now(),
      brand: digits === null ? this.#appearance.brand : brandOfDigits(digits),
    }
  }

  #numberDigits(): string | null {
    return this.#inputs.find(({ rule }) => rule.name === "number")?.value ?? null
  }

  #problemOf({ rule, value }: InputControl) {
    return value === "" ? "required" : rule.judge(value, this.#context())
  }

  #showBrand(): void {
    const digits = this.#numberDigits()
    if (digits === null) return
    for (const input of this.#inputs) input.showBrand(brandOfDigits(digits))
  }

  /** One event for the whole frame, when focus has come or gone: not for each input in it. */
  #tellFocus(): void {
    this.#platform.timers.set(() => {
      const hasFocus = this.#document.hasFocus() && this.#inputs.some((input) => input.hasFocus)
      if (hasFocus === this.#hasFocus) return
      this.#hasFocus = hasFocus
      this.#platform.tell({ type: hasFocus ? "focus" : "blur" })
    }, 0)
  }

  #tellState(): void {
    const state = this.#state()
    const text = JSON.stringify(state)
    if (text === this.#told) return
    this.#told = text
    this.#platform.tell({ type: "change", state })
  }

  #state(): FieldState {
    const number = this.#inputs.find(({ rule }) => rule.name === "number")
    const isComplete = this.#inputs.every((input) => this.#problemOf(input) === null)
    const hasNumber = number !== undefined && this.#problemOf(number) === null
    return {
      isEmpty: this.#inputs.every(({ value }) => value === ""),
      isComplete,
      brand: hasNumber ? brandOfDigits(number.value) : null,
      lastFour: hasNumber && !number.hasFocus ? this.#lastFour(number.value) : null,
    }
  }
}

const seconds = (ms: number) => Math.floor(ms / 1000)
