/**
 * Shows the page on which the cardholder's bank asks for what it wants, in a frame, until that page says that it is done.
 *
 * What it says decides nothing: anybody could say it. The shop's server asks Sealway afterwards.
 *
 * @param {{url: string, sealway: string, place: HTMLElement}} options the session's page, the origin that may speak for it,
 *   and where the frame goes
 */
export function authenticate({ url, sealway, place }) {
  const frame = document.createElement("iframe")
  frame.title = "Your bank"
  // It may run scripts and send forms, but not take this window to another page.
  frame.sandbox = "allow-scripts allow-forms allow-same-origin"
  frame.referrerPolicy = "no-referrer"
  frame.src = url
  const done = new Promise((resolve) => {
    addEventListener("message", function listen({ source, origin, data }) {
      if (source !== frame.contentWindow || origin !== sealway) return
      if (data?.event !== "ev-3ds-trampoline") return
      removeEventListener("message", listen)
      frame.remove()
      resolve()
    })
  })
  place.replaceChildren(frame)
  return done
}
