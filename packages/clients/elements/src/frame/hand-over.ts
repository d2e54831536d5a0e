/** What a server has put into the address of a frame: a token, and the document that it is for. */
export interface HandedOver {
  readonly token: string
  /** JSON. */
  readonly document: string
}

/** What a frame that waits for a token has put into its window. Only frames of the same origin can see it. */
type Receive = (key: string, handedOver: HandedOver) => void
interface FrameGlobal {
  sealwayReceive?: Receive
}

const globalOf = (frame: Window) => frame as unknown as FrameGlobal

/** Lets frames of the same origin, in the same page, give this one a token. */
export function receiveFromFrames(frame: Window, receive: Receive): void {
  globalOf(frame).sealwayReceive = receive
}

/**
 * Reads the fragment of the frame's address, which `revealUrl` of the SDK writes and to which a server redirects: the
 * embedding page cannot see where a redirect leads. The fragment is removed at once.
 *
 * @returns null when there is none
 */
export function readHandedOver({ location, history }: Window): HandedOver | null {
  const [, token, document] = /^#([\w.-]{1,1024})&([\w%.~!*'()-]{1,262144})$/.exec(location.hash) ?? []
  if (token === undefined || document === undefined) return null
  history.replaceState(null, "", location.pathname)
  try {
    return { token, document: decodeURIComponent(document) }
  } catch {
    return null
  }
}

/** Gives a token to the frame of the same page whose key it is bound to. */
export function handOver({ parent, window: own }: Window & { window: Window }, handedOver: HandedOver): void {
  const key = keyOf(handedOver.token)
  for (let index = 0; index < parent.length; index++) {
    const frame = parent[index]
    if (frame === undefined || frame === own) continue
    try {
      globalOf(frame).sealwayReceive?.(key, handedOver)
    } catch {
      // A frame of another origin.
    }
  }
}

/** The key that a token names. Whether it is the frame's own is for that frame to check; the service has signed it. */
function keyOf(token: string): string {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")
    return String(JSON.parse(atob(payload)).key)
  } catch {
    return ""
  }
}
