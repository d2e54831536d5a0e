import { SealwayError } from "../errors/errors.ts"
import { writeStart } from "../protocol/index.ts"

/** How long a frame may take to answer before it counts as refused. */
const START_TIMEOUT_MS = 15_000

export interface FrameConnection<Outgoing> {
  readonly element: HTMLIFrameElement
  readonly send: (message: Outgoing) => void
  /** Rejects when the frame does not answer: the service is not there, or the page's origin is not allowed. */
  readonly ready: Promise<void>
  remove(): void
}

export interface FrameOptions<Incoming> {
  readonly place: Element
  /** Address of the frame's page, absolute. */
  readonly url: string
  readonly title: string
  /** Features that the frame may use, as its `allow` attribute has them. */
  readonly allow?: string
  /** Called for each load: a frame that is moved in the document is loaded again, and begins anew. */
  readonly start: () => object
  readonly read: (value: unknown) => Incoming | undefined
  /** Called with each message; the first one means that the frame is ready. */
  readonly receive: (message: Incoming) => void
}

/**
 * Puts a frame of the service into a page, and hands it one end of a channel. The browser gives the port to the window of
 * this frame only, and only while a page of the service's origin is in it: a page that has taken its place receives
 * nothing. Everything that is said later goes through the port, which no other window has.
 */
export function openFrame<Incoming, Outgoing>(options: FrameOptions<Incoming>): FrameConnection<Outgoing> {
  const { place, url, title, allow, start, read, receive } = options
  const { ownerDocument: document } = place
  const { origin } = new URL(url)
  const element = document.createElement("iframe")
  element.src = url
  element.title = title
  element.referrerPolicy = "no-referrer"
  if (allow !== undefined) element.allow = allow
  element.setAttribute("scrolling", "no")
  Object.assign(element.style, {
    border: "0",
    display: "block",
    width: "100%",
    height: "0",
    background: "transparent",
    colorScheme: "light dark",
  })
  let port: MessagePort | null = null
  let pending: Outgoing[] = []
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  // Those who do not wait for it must not be told that nobody has.
  ready.catch(() => {})
  const timer = setTimeout(() => {
    reject(
      new SealwayError(
        "frame-refused",
        `No answer from ${origin}. Is the page's origin among the app's allowedOrigins?`,
      ),
    )
  }, START_TIMEOUT_MS)
  element.addEventListener("load", () => {
    port?.close()
    const channel = new MessageChannel()
    port = channel.port1
    port.onmessage = ({ data }) => {
      const message = read(data)
      if (message === undefined) return
      clearTimeout(timer)
      resolve()
      receive(message)
    }
    element.contentWindow?.postMessage(writeStart(start()), origin, [channel.port2])
    for (const message of pending) port.postMessage(message)
    pending = []
  })
  place.append(element)
  return {
    element,
    ready,
    send(message) {
      if (port === null) pending.push(message)
      else port.postMessage(message)
    },
    remove() {
      clearTimeout(timer)
      port?.close()
      element.remove()
      reject(new SealwayError("frame-removed", "The frame was removed."))
    },
  }
}
