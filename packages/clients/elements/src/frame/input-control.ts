import type { CardBrandName, TextName } from "@sealway/sdk/protocol"
import { asciiDigits } from "../rules/card-number-rules.ts"
import { caretAfter } from "../rules/caret.ts"
import type { InputRule } from "../rules/input-rules.ts"
import { drawBrandMark } from "./brand-mark.ts"

export interface InputListeners {
  onInput(): void
  onFocus(): void
  onBlur(): void
  onEnter(): void
}

/** What an input shows beside its value. */
export interface InputLook {
  readonly texts: Readonly<Record<TextName, string>>
  readonly showsLabel: boolean
  readonly isDisabled: boolean
}

/** One input with its label and the line for what is wrong. Its value never leaves it but to be sealed. */
export class InputControl {
  readonly rule: InputRule
  readonly element: HTMLElement
  readonly #input: HTMLInputElement
  readonly #label: HTMLLabelElement
  readonly #error: HTMLElement
  readonly #mark: HTMLElement | null
  #markedBrand: CardBrandName | null = null
  #value = ""
  #problem: TextName | null = null
  #texts: InputLook["texts"] | null = null

  constructor(document: Document, rule: InputRule, listeners: InputListeners) {
    this.rule = rule
    const { name } = rule
    this.element = document.createElement("div")
    this.element.className = `input ${name}`
    this.#label = document.createElement("label")
    this.#label.htmlFor = name
    this.#input = document.createElement("input")
    Object.assign(this.#input, {
      id: name,
      name: rule.autocomplete === "off" ? name : rule.autocomplete,
      type: rule.isMasked ? "password" : "text",
      inputMode: rule.inputMode,
      autocapitalize: "off",
      spellcheck: false,
      dir: rule.isFormatted || name === "pin" ? "ltr" : "auto",
    })
    this.#input.setAttribute("autocomplete", rule.autocomplete)
    this.#input.setAttribute("autocorrect", "off")
    this.#input.setAttribute("aria-required", "true")
    this.#input.setAttribute("aria-describedby", `${name}-error`)
    this.#error = document.createElement("p")
    this.#error.id = `${name}-error`
    this.#error.className = "error"
    this.#error.setAttribute("role", "status")
    const box = document.createElement("div")
    box.className = "box"
    box.append(this.#input)
    this.#mark = name === "number" ? document.createElement("span") : null
    if (this.#mark !== null) {
      this.#mark.append(drawBrandMark(document, null))
      box.append(this.#mark)
    }
    this.element.append(this.#label, box, this.#error)
    this.#listen(listeners)
  }

  get value(): string {
    return this.#value
  }

  get hasFocus(): boolean {
    return this.#input.ownerDocument.activeElement === this.#input
  }

  focus(): void {
    this.#input.focus()
  }

  blur(): void {
    this.#input.blur()
  }

  clear(): void {
    this.#value = ""
    this.#input.value = ""
    this.showProblem(null)
  }

  show({ texts, showsLabel, isDisabled }: InputLook): void {
    const { name } = this.rule
    this.#texts = texts
    this.#label.textContent = texts[name]
    this.#label.className = showsLabel ? "" : "unseen"
    this.#input.placeholder = name === "expiry" ? texts.expiryPlaceholder : showsLabel ? "" : texts[name]
    this.#input.disabled = isDisabled
    this.showProblem(this.#problem)
  }

  showProblem(problem: TextName | null): void {
    this.#problem = problem
    this.#input.setAttribute("aria-invalid", String(problem !== null))
    const text = problem === null ? "" : (this.#texts?.[problem] ?? "")
    if (this.#error.textContent !== text) this.#error.textContent = text
  }

  showBrand(brand: CardBrandName | null): void {
    if (brand === this.#markedBrand) return
    this.#markedBrand = brand
    this.#mark?.replaceChildren(drawBrandMark(this.#input.ownerDocument, brand))
  }

  #listen({ onInput, onFocus, onBlur, onEnter }: InputListeners): void {
    const input = this.#input
    input.addEventListener("input", () => {
      this.#read()
      onInput()
    })
    input.addEventListener("focus", onFocus)
    input.addEventListener("blur", onBlur)
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) onEnter()
    })
    // What is copied or dragged out could be read by the page: from the clipboard, or where it is dropped.
    for (const name of ["copy", "cut", "dragstart"]) {
      input.addEventListener(name, (event) => event.preventDefault())
    }
  }

  #read(): void {
    const { rule } = this
    const input = this.#input
    const typed = input.value
    const value = rule.read(typed)
    const written = rule.write(value)
    if (written !== typed) {
      const caret = input.selectionStart ?? typed.length
      const isAtEnd = caret === typed.length
      const digitsBefore = asciiDigits(typed.slice(0, caret)).replace(/[^0-9]/g, "").length
      input.value = written
      const place = isAtEnd ? written.length : caretAfter(written, digitsBefore)
      if (this.hasFocus && rule.isFormatted) input.setSelectionRange(place, place)
    }
    this.#value = value
  }
}
