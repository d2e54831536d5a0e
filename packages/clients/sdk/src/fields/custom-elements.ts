import type { AppearanceOptions, TextOptions } from "./field-options.ts"
import type { Fields } from "./field-set.ts"
import { SealwayPage } from "./sealway-page.ts"

const KINDS = ["card", "number", "expiry", "cvc", "pin", "text"] as const

/** The element `<sealway-fields>`. */
export interface SealwayFieldsElement extends HTMLElement {
  /** Variables of the theme, which attributes cannot hold. */
  theme: NonNullable<AppearanceOptions["theme"]>
  texts: NonNullable<AppearanceOptions["texts"]>
  /** What controls the fields; null while the element is not in a document. */
  readonly fields: Fields | null
  submit(): ReturnType<Fields["submit"]>
}

/**
 * Defines `<sealway-fields team-id app-id base-url kind data-role locale scheme disabled>`, for pages without a framework. Its
 * events `change`, `focus`, `blur` and `enter` have what is known of the fields in `detail`, and are called
 * `sealway-change` and so on. Call it once, in a browser.
 */
export function defineSealwayElements(name = "sealway-fields"): void {
  if (customElements.get(name) !== undefined) return
  customElements.define(
    name,
    class extends HTMLElement implements SealwayFieldsElement {
      static readonly observedAttributes = ["locale", "scheme", "disabled", "hide-labels"]
      #fields: Fields | null = null
      #theme: SealwayFieldsElement["theme"] = {}
      #texts: SealwayFieldsElement["texts"] = {}

      get fields(): Fields | null {
        return this.#fields
      }

      get theme() {
        return this.#theme
      }
      set theme(theme) {
        this.#theme = theme
        this.#fields?.update(this.#appearance())
      }

      get texts() {
        return this.#texts
      }
      set texts(texts) {
        this.#texts = texts
        this.#fields?.update(this.#appearance())
      }

      connectedCallback(): void {
        const read = (attribute: string) => this.getAttribute(attribute) ?? ""
        const page = new SealwayPage({
          teamId: read("team-id"),
          appId: read("app-id"),
          baseUrl: read("base-url"),
        })
        const kind = KINDS.find((each) => each === this.getAttribute("kind")) ?? "card"
        // Not `role`: that attribute says to screen readers what an element is.
        const role = this.getAttribute("data-role")
        const options: TextOptions = { ...this.#appearance(), ...(role !== null && { role }) }
        const fields = page.fields[kind](this, options)
        for (const event of ["change", "focus", "blur", "enter"] as const) {
          fields.on(event, () => {
            this.dispatchEvent(new CustomEvent(`sealway-${event}`, { detail: fields.state, bubbles: true }))
          })
        }
        fields.ready.then(
          () => this.dispatchEvent(new CustomEvent("sealway-ready", { bubbles: true })),
          (error) => this.dispatchEvent(new CustomEvent("sealway-error", { detail: error, bubbles: true })),
        )
        this.#fields = fields
      }

      disconnectedCallback(): void {
        this.#fields?.remove()
        this.#fields = null
      }

      attributeChangedCallback(): void {
        this.#fields?.update(this.#appearance())
      }

      async submit() {
        if (this.#fields === null) throw new TypeError("The element is not in a document.")
        return this.#fields.submit()
      }

      #appearance(): AppearanceOptions {
        const [locale, scheme] = [this.getAttribute("locale"), this.getAttribute("scheme")]
        return {
          theme: this.#theme,
          texts: this.#texts,
          ...(locale !== null && { locale }),
          ...((scheme === "light" || scheme === "dark") && { scheme }),
          disabled: this.hasAttribute("disabled"),
          showLabels: !this.hasAttribute("hide-labels"),
        }
      }
    },
  )
}
