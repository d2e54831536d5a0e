/**
 * Tells the page how high its frame must be. Nothing that a person types changes it: inputs have one line, and the line
 * for an error is always there.
 */
export function reportHeight(body: HTMLElement, tell: (height: number) => void): void {
  let last = -1
  const observer = new ResizeObserver(() => {
    const height = Math.min(2_000, Math.ceil(body.getBoundingClientRect().height))
    if (height === last) return
    last = height
    tell(height)
  })
  observer.observe(body)
}
