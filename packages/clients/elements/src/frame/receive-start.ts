/** What a frame has received from the page that it is in. */
export interface Received<Start> {
  readonly start: Start
  readonly port: MessagePort
}

/**
 * Waits for the page's one message with a port. It must come from the frame's parent, with an origin that the service
 * has allowed; the browser vouches for both. Every other message is ignored, and so is every one after it: no other
 * window can take a frame over.
 *
 * @param origins as the service has written them into the frame's page, not as the embedding page says
 */
export function receiveStart<Start>(
  frame: Window,
  origins: readonly string[],
  read: (value: unknown) => Start | undefined,
): Promise<Received<Start>> {
  return new Promise((resolve) => {
    // Opened in a window of its own, it has no page to work for.
    if (frame.parent === frame) return
    const listen = ({ source, origin, data, ports }: MessageEvent) => {
      if (source !== frame.parent || !origins.includes(origin)) return
      const start = read(data)
      const [port, ...others] = ports
      if (start === undefined || port === undefined || others.length > 0) return
      frame.removeEventListener("message", listen)
      resolve({ start, port })
    }
    frame.addEventListener("message", listen)
  })
}
