import { SealwayError } from "../errors/errors.ts"
import { type RevealFrameMessage, type RevealPageMessage, readRevealFrameMessage } from "../protocol/index.ts"
import { type AppearanceOptions, appearanceOf } from "./field-options.ts"
import { openFrame } from "./frame-element.ts"

/** A token that the page's server has issued for the frame's key, and the document that it is for. */
export interface RevealToken {
  readonly token: string
  readonly document: object
}

export interface RevealOptions extends AppearanceOptions {
  /**
   * An address of the page's own server that redirects to `clientTokens.revealUrl`; the frame's key is added as `key`.
   * The page never holds a token: nothing that runs in it can get the value.
   */
  readonly from?: string
  /** Asks the page's server for a token that is bound to the frame's key. The page holds it, and cannot use it. */
  readonly token?: (key: string) => Promise<RevealToken> | RevealToken
  /** Which field of the document is shown. Default: the only one. */
  readonly field?: string
  /** What the value is called. Default: "Secret", translated. */
  readonly label?: string
  /** How long it is shown, at most 600 seconds. Default: 60. */
  readonly seconds?: number
  /** Whether there is a button that copies the value. Default: true. */
  readonly copy?: boolean
  /** `digits`: in groups, like a card number. Default: `text`. */
  readonly format?: "text" | "digits"
}

/** A value in a frame. */
export interface Reveal {
  /** Resolves when the value is shown. @throws SealwayError with the service's code if it cannot be */
  readonly shown: Promise<void>
  /** Resolves when it is no longer shown. */
  readonly hidden: Promise<void>
  hide(): void
  update(appearance: AppearanceOptions): void
  remove(): void
}

/** @param url address of the page that shows values */
export function openReveal(url: string, place: Element, options: RevealOptions): Reveal {
  const { from, token, label, field, seconds = 60, copy = true, format = "text" } = options
  if ((from === undefined) === (token === undefined)) throw new TypeError("Pass either from or token.")
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 600) {
    throw new TypeError("seconds must be a whole number from 1 to 600.")
  }
  // Windows do not list the frames of a shadow tree: no token could be handed over.
  if (from !== undefined && place.getRootNode() instanceof ShadowRoot) {
    throw new TypeError("In a shadow tree, pass token instead of from.")
  }
  const withLabel = (given: AppearanceOptions) =>
    label === undefined ? given : { ...given, texts: { ...given.texts, text: label } }
  const shown = Promise.withResolvers<void>()
  const hidden = Promise.withResolvers<void>()
  for (const { promise } of [shown, hidden]) promise.catch(() => {})
  let carrier: HTMLIFrameElement | null = null
  const end = () => {
    carrier?.remove()
    carrier = null
  }
  const fail = (error: unknown) => {
    end()
    shown.reject(error)
    hidden.reject(error)
  }
  const bring = async (key: string): Promise<void> => {
    if (token !== undefined) {
      const given = await token(key)
      return connection.send({ type: "token", token: given.token, document: JSON.stringify(given.document) })
    }
    const address = new URL(from ?? "", place.ownerDocument.baseURI)
    address.searchParams.set("key", key)
    end()
    carrier = place.ownerDocument.createElement("iframe")
    carrier.hidden = true
    carrier.src = address.href
    carrier.addEventListener("load", ({ currentTarget }) => {
      // A page of this origin: the server has answered by itself, and not by a redirect to the service.
      if ((currentTarget as HTMLIFrameElement).contentDocument !== null) {
        fail(new SealwayError("no-token", "The page's server has not redirected to the service."))
      }
    })
    place.append(carrier)
  }
  const connection = openFrame<RevealFrameMessage, RevealPageMessage>({
    place,
    url,
    title: label ?? "Secret",
    allow: "clipboard-write",
    read: readRevealFrameMessage,
    start: () => ({
      settings: { field: field ?? null, showsForSeconds: seconds, hasCopyButton: copy, format },
      appearance: appearanceOf(withLabel(options)),
    }),
    receive(message) {
      switch (message.type) {
        case "key":
          bring(message.key).catch(fail)
          break
        case "height":
          connection.element.style.height = `${message.height}px`
          break
        case "shown":
          end()
          shown.resolve()
          break
        case "hidden":
          end()
          shown.reject(new SealwayError("hidden", "The value was hidden before it was there."))
          hidden.resolve()
          break
        case "failed":
          fail(new SealwayError(message.code, "The value cannot be shown."))
          break
        case "copied":
          break
      }
    },
  })
  connection.ready.catch(fail)
  return {
    shown: shown.promise,
    hidden: hidden.promise,
    hide: () => connection.send({ type: "hide" }),
    update: (next) => connection.send({ type: "update", appearance: appearanceOf(withLabel(next)) }),
    remove() {
      fail(new SealwayError("frame-removed", "The frame was removed."))
      connection.remove()
    },
  }
}
