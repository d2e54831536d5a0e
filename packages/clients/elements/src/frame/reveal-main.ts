import { handOver, readHandedOver } from "./hand-over.ts"
import { type RevealPageData, readPageData } from "./page-data.ts"
import { runRevealFrame } from "./reveal-frame.ts"

const handedOver = readHandedOver(window)
if (handedOver !== null) handOver(window, handedOver)
else {
  void runRevealFrame({
    window,
    origins: readPageData<RevealPageData>(document).origins,
    fetch: window.fetch.bind(window),
    clipboard: navigator.clipboard,
    subtle: crypto.subtle,
  })
}
